"""What the processes record in test_record: imported by them, never by the tests."""

import ast
import linecache
import traceback
from contextlib import ExitStack
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from labkit.engine.recording import interpreter, record
from tests.processes.programs_recorded import (
    AMBIENT,
    CELL,
    NOT_FOLLOWED,
    SHAPE,
    TOO_BIG,
    TOO_MANY,
    WHOLE,
)

LABEL = "cell 1"
FIRST = {
    "jax": jax,
    "jnp": jnp,
    "np": np,
    "lax": lax,
    "P": P,
    "NamedSharding": NamedSharding,
    "__name__": "__main__",
}


def told(expressions: list[str]) -> dict[str, Any]:
    """Expression → what this process tells of its recording, or why there is none."""
    names = {**FIRST, **given()}
    linecache.cache[LABEL] = (len(CELL), None, CELL.splitlines(True), LABEL)
    exec(compile(CELL, LABEL, "exec"), names)
    return {expression: _in_place(expression, names) for expression in expressions}


def _in_place(expression: str, names: dict[str, Any]) -> Any:
    """One recording, under the conditions it is meant for."""
    with ExitStack() as conditions:
        if expression == AMBIENT:
            conditions.enter_context(jax.set_mesh(names["explicit"]))
        if expression == TOO_BIG:
            conditions.enter_context(mock.patch.multiple(record, BYTES=64, PART=16))
        if expression == TOO_MANY:
            conditions.enter_context(mock.patch.multiple(record, STEPS=0, MOST=0))
        if expression == NOT_FOLLOWED:
            broken = mock.patch.object(
                interpreter, "run_alone", side_effect=ValueError("not twice")
            )
            conditions.enter_context(broken)
        return _one(expression, names)


def given() -> dict[str, Any]:
    """The mesh of all devices, and arrays over it."""
    mesh = Mesh(np.array(jax.devices()).reshape(jax.process_count(), -1), ("x", "y"))
    explicit = jax.make_mesh(mesh.devices.shape, ("x", "y"), devices=mesh.devices.ravel())
    w = np.linspace(-1, 1, SHAPE[1] * 16, dtype=np.float32).reshape(-1, 16)
    u = np.linspace(1, -1, 16 * 8, dtype=np.float32).reshape(16, 8)
    x = spread(WHOLE, mesh, "x", "y")
    return {
        "mesh": mesh,
        "explicit": explicit,
        "own": Mesh(np.array(jax.local_devices()), ("i",)),
        "x": x,
        "e": spread(WHOLE, explicit, "x", "y"),
        "b": x.astype(jnp.bfloat16),
        "w": spread(w, mesh),
        "u": spread(u, mesh),
        "rows": spread(WHOLE, mesh, "x"),
        "w_cut": spread(w, mesh, None, "y"),
        "u_cut": spread(u, mesh, "y"),
        "key": jax.random.key(7),
        "mine": np.arange(8, dtype=np.float32) + 8 * jax.process_index(),
    }


def spread(whole: np.ndarray, mesh: Mesh, *spec: str | None) -> jax.Array:
    return jax.make_array_from_callback(
        whole.shape, NamedSharding(mesh, P(*spec)), lambda index: whole[index]
    )


def _one(expression: str, names: dict[str, Any]) -> Any:
    """One recording; afterwards everything must be as it was."""
    before, numbers = dict(names), np.random.get_state()[1].copy()
    try:
        found = record.record(ast.parse(expression, mode="eval").body, "cell 2", names)
    except Exception:
        found = traceback.format_exc()
    assert list(names) == list(before), expression
    assert all(names[name] is before[name] for name in before), expression
    assert (np.random.get_state()[1] == numbers).all(), expression
    assert not any(v.is_deleted() for v in before.values() if isinstance(v, jax.Array)), expression
    return found
