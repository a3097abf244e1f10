"""Record one call: every operation, and its values on every device of this process.

The function is traced once. What was traced is compiled and run plainly, and once more with every
value as an output; the two runs' results are compared. Nothing is donated, and the names and
random numbers of the process are as before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from labkit.engine.arrays.describe import mesh_of
from labkit.engine.arrays.device_labels import label as device_label
from labkit.engine.recording import estimate, interpreter
from labkit.engine.recording.agreement import agreement
from labkit.engine.recording.arguments import SplitCall, split, unchanged
from labkit.engine.recording.environment import Environment, opened, placed
from labkit.engine.recording.intermediates import Intermediates
from labkit.engine.recording.pmap import refuse_pmap
from labkit.engine.recording.source_lines import text_of
from labkit.engine.recording.tape import Scope, Slot, Tape
from labkit.facts.hlo import CALL

STEPS = 3_000  # beyond, long loops are shown as one step
MOST = 10_000
BYTES = 2**28  # brought at most, on one device; beyond, of each value only its first elements
PART = 2**14

_COLLECTIVE = re.compile(rf"\b{CALL}")


class NotRecorded(Exception):
    """The expression cannot be recorded; says why."""


def record(expression: ast.expr, label: str, namespace: dict[str, Any]) -> dict[str, Any]:
    """Evaluate an expression in all ways a recording needs.

    Args:
        expression: what is recorded.
        label: the cell's file name.
        namespace: what its names stand for; it is left as it is.

    Returns:
        ``steps`` and ``values`` (see :class:`Intermediates`), ``arguments`` and ``results`` as keys
        of ``values``, ``agreement``, ``compiled``, ``text``, ``meshes``, ``notes``.

    Raises:
        NotRecorded: an operation could not be followed, or pmap was called.
    """
    call = split(expression, label, namespace)
    with unchanged(namespace):
        traced = jax.jit(_flat(call)).trace(*call.arrays)
    refuse_pmap(traced.jaxpr, call.title)
    if not opened(traced.jaxpr)[0].eqns:
        raise NotRecorded(
            f"{ast.unparse(expression)} runs no operation of JAX, so there is nothing to record. "
            "Record the call of a function; what stands in its parentheses is evaluated before."
        )
    compiled = traced.lower().compile()
    plain = compiled(*call.arrays)
    tape = _planned(traced.jaxpr)
    env, ids, outs, kept = _again(traced.jaxpr, call, plain, tape)
    return _answer(call, env, ids, (plain, outs, kept), compiled)


def _flat(call: SplitCall) -> Any:
    def recorded(*arrays: Any) -> list[Any]:
        found = jax.tree.leaves(call.function(*arrays))
        return [leaf for leaf in found if isinstance(leaf, (jax.Array, np.ndarray, int, float))]

    return recorded


def _planned(jaxpr: Any) -> Tape:
    """How far loops are followed and values brought, so that the whole stays within bounds."""
    tape, eqns = Tape(), opened(jaxpr)[0].eqns
    if sum(map(estimate.steps_of, eqns)) > STEPS:
        tape.follow = STEPS // 4
        _require_few(sum(estimate.steps_of(eqn, tape.follow) for eqn in eqns))
    if sum(estimate.sizes(eqns)) > BYTES:
        tape.bring = PART
        tape.notes.append(
            "The values are too big to bring them whole: their first elements are shown, and "
            "along which axes they are equal is not known."
        )
    return tape


def _require_few(steps: int) -> None:
    if steps > MOST:
        raise NotRecorded(
            f"This has {steps} steps, long loops counted as one; a recording has at most {MOST}. "
            "Record a part of it, or the same with fewer layers."
        )


def _again(jaxpr: Any, call: SplitCall, plain: Sequence[Any], tape: Tape) -> Any:
    """The instrumented run."""
    body, consts = opened(jaxpr)
    arguments = [tape.new() for _ in call.arrays]
    tape.names.update(zip(arguments, call.names, strict=True))
    done: list[Any] = []
    shardings = (getattr(array, "sharding", None) for array in call.arrays)
    named = (s.mesh for s in shardings if isinstance(s, jax.sharding.NamedSharding))
    tape.mesh = next(named, None)

    def program(*arrays: Any) -> Any:
        env = Environment(tape, Scope())
        outs, ids = interpreter.evaluate(body, consts, arrays, arguments, env)
        done[:] = env, ids
        return outs, [placed(array, slot, tape.mesh) for slot, array in env.kept]

    try:
        like = [array.sharding for array in plain]
        run = jax.jit(program, out_shardings=(like, None), compiler_options=_options())
        outs, kept = run(*call.arrays)
    except interpreter.CannotFollow as error:
        raise NotRecorded(f"The recording could not follow {error}.") from error
    env, ids = done
    slots = [Slot(i, a.shape, str(a.dtype)) for i, a in zip(arguments, call.arrays, strict=True)]
    env.kept[:0] = zip(slots, call.arrays, strict=True)
    return env, ids, outs, [*call.arrays, *kept]


def _options() -> dict[str, str] | None:
    """On CPUs: compile every operation for itself.

    Fused, each of a chain of values that are all asked for would be computed from the beginning
    again, and compiling takes five times as long.
    """
    return {"xla_disable_hlo_passes": "fusion"} if jax.default_backend() == "cpu" else None


def _answer(
    call: SplitCall, env: Environment, ids: Sequence[int | None], runs: Any, compiled: Any
) -> dict[str, Any]:
    plain, outs, kept = runs
    found = Intermediates(env.tape)
    slots = [slot for slot, _ in env.kept]
    known = {slot.id for slot in slots if not slot.cut}
    gave = [env.tape.new() if i is None or i not in known else i for i in ids]
    last = zip(gave, plain, strict=True)
    more = [(Slot(i, a.shape, str(a.dtype)), a) for i, a in last if i not in known]
    found.read([*zip(slots, kept, strict=True), *more])
    steps = found.steps(env.entries)
    file, text, first = text_of([step["source"] for step in steps])
    return {
        "steps": steps,
        "values": found.values,
        "names": env.tape.names,
        "made_from": env.tape.made_from,
        "arguments": found.keys(range(len(call.arrays))),
        "results": found.keys(gave),
        "meshes": [mesh_of(mesh) for mesh in found.meshes],
        "agreement": agreement(plain, outs),
        "compiled": _collectives(compiled, found.meshes),
        "text": (file, text, first),
        "notes": tuple(dict.fromkeys((*env.tape.notes, *found.beyond(env.entries)))),
    }


def _collectives(compiled: Any, meshes: Sequence[Any]) -> dict[str, Any]:
    """Of the compiled text, the tables of lines and the collectives; and its devices in order."""
    text = compiled.as_text()
    lines = text.splitlines()
    head = next((i for i, line in enumerate(lines) if line.endswith("{")), 0)
    kept = [*lines[:head], *filter(_COLLECTIVE.search, lines[head:])]
    shardings = jax.tree.leaves((compiled.input_shardings, compiled.output_shardings))
    named = [s.mesh for s in shardings if isinstance(s, jax.sharding.NamedSharding)]
    devices = next((mesh.devices.flat for mesh in [*named, *meshes]), [])
    return {"text": "\n".join(kept), "devices": tuple(device_label(d) for d in devices)}
