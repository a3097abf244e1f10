"""What the processes do in test_join and test_where: imported by them, never by the tests."""

import linecache
import threading
import time
from typing import Any

import jax
import jax.experimental.multihost_utils
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from labkit.engine import join
from labkit.engine.watchdog import sampler

MESH = Mesh(np.array(jax.devices()), ("i",))
ONES = jax.make_array_from_callback(
    (jax.device_count(),), NamedSharding(MESH, P("i")), lambda index: np.ones(1, np.int32)
)
TOTAL = jax.jit(
    jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=MESH, in_specs=P("i"), out_specs=P())
)


def in_step(numbers: list[int]) -> list[dict[str, Any]]:
    """The check for several numbers, with a psum that all have begun in flight before each."""
    told = []
    for number in numbers:
        begun = TOTAL(ONES)
        told.append(join.in_step(number))
        assert int(begun[0]) == jax.device_count()
    return told


def in_step_after(process: int, kept: bool) -> dict[str, Any] | None:
    """The check after one process has begun a psum alone; None where it did not end in time."""
    join.in_step(1)
    begun = [TOTAL(ONES)] if process == jax.process_index() else []
    if not kept:
        begun.clear()
    said: list[dict[str, Any]] = []
    check = threading.Thread(target=lambda: said.append(join.in_step(2)), daemon=True)
    check.start()
    check.join(3)
    return said[0] if said else None


def places(sources: list[str]) -> list[list[dict[str, Any]]]:
    """What ``where`` publishes while each of these cells runs; nothing is to be told outside."""
    TOTAL(ONES).block_until_ready()  # compiled, and connected
    told = []
    for number, source in enumerate(sources):
        assert sampler.look() is None
        told.append(_places(number, f"cell {number}", source))
    return told


def _places(number: int, label: str, source: str) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    sampler.publish_data = told.append
    linecache.cache[label] = (len(source), None, source.splitlines(True), label)
    with sampler.watching(number, label):
        exec(compile(source, label, "exec"), dict(globals()))
        sampler.phase("finishing")
        time.sleep(0.6)
    return [said["where"] for said in told]
