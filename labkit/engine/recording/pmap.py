"""``pmap`` is not recorded: what it is instead, written out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labkit.engine.recording.environment import inner, opened
from labkit.engine.recording.source_lines import passes


class PmapRefused(Exception):
    """The expression calls ``jax.pmap``."""


def refuse_pmap(jaxpr: Any, name: str) -> None:
    """Refuse a program with a pmap in it.

    Traced inside another program, pmap sees only the devices of its own process: what would be
    recorded is not what it does when it is called.

    Args:
        jaxpr: the program.
        name: what the learner calls it by.

    Raises:
        PmapRefused: there is one; with the shard_map that does the same.
    """
    for eqn in _all(jaxpr):
        if eqn.primitive.name == "xla_pmap" or passes(eqn, "pmap.py"):
            raise PmapRefused(_words(eqn, name))


def _all(jaxpr: Any) -> Iterator[Any]:
    for eqn in opened(jaxpr)[0].eqns:
        yield eqn
        for body in inner(eqn):
            yield from _all(body)


def _words(eqn: Any, name: str) -> str:
    mesh = eqn.params.get("mesh")
    axis = mesh.axis_names[0] if mesh else eqn.params.get("axis_name", "i")
    new = name if name.isidentifier() else "mapped"  # an expression cannot be assigned to
    return (
        f"{name} is a jax.pmap, and a pmap is not recorded: inside another program it sees the "
        "devices of its own process only. This shard_map does the same, and can be recorded; "
        "`body` is the function you gave to pmap:\n"
        f'    mesh = Mesh(np.array(jax.devices()), ("{axis}",))\n'
        f"    {new} = jax.jit(jax.shard_map(lambda v: body(v[0])[None], mesh=mesh,\n"
        f'        in_specs=P("{axis}"), out_specs=P("{axis}")))\n'
        f"Give it one array over all devices: {new}(jax.make_array_from_process_local_data(\n"
        f'    NamedSharding(mesh, P("{axis}")), x))'
    )
