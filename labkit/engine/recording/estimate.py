"""How many steps and bytes a program would give, told before it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from labkit.engine.recording import control_flow
from labkit.engine.recording.environment import inner, opened

CALLS = {
    "jit": "jit",
    "pjit": "jit",
    "closed_call": "call",
    "core_call": "call",
    "remat": "remat",
    "remat2": "remat",
    "checkpoint": "remat",
    "custom_jvp_call": "custom_jvp",
    "custom_vjp_call": "custom_vjp",
    "custom_vjp_call_jaxpr": "custom_vjp",
}


def steps_of(eqn: Any, follow: float = math.inf) -> int:
    """How many steps an equation becomes.

    Args:
        eqn: the equation.
        follow: loops and branches with more steps are shown as one.
    """
    kind = eqn.primitive.name
    if kind not in (*CALLS, *control_flow.KINDS, "shard_map"):
        return 1
    within = (e for body in inner(eqn) for e in opened(body)[0].eqns)
    steps = 1 + _turns(eqn) * sum(steps_of(e, follow) for e in within)
    return 1 if kind in control_flow.KINDS and steps > follow else steps


def sizes(eqns: Sequence[Any]) -> Iterator[int]:
    """Bytes of every value that following these equations would bring."""
    for eqn in eqns:
        yield from (_size(v.aval) for v in eqn.outvars)
        if steps_of(eqn) > 1:
            turns = _turns(eqn)
            for body in inner(eqn):
                yield from (turns * n for n in sizes(opened(body)[0].eqns))


def _turns(eqn: Any) -> int:
    return {"scan": eqn.params.get("length"), "while": control_flow.TURNS}.get(
        eqn.primitive.name, 1
    )


def _size(aval: Any) -> int:
    extended = jax.numpy.issubdtype(aval.dtype, jax.dtypes.extended)
    return 0 if extended else math.prod(aval.shape) * aval.dtype.itemsize
