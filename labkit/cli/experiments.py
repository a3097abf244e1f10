"""The two questions as experiments: a program, and the values it must give on every device.

The expected values are plain numpy, worked out here without JAX and without processes,
so that a lab which is wrong cannot agree with itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from labkit.facts import device_label

Values = Mapping[str, np.ndarray]
"""Device label -> what that device holds."""

PSUM = """\
x = 8 * jax.process_index() + jnp.arange(8)

def add_up(v):
    return jax.lax.psum(v, "i")

local = Mesh(jax.local_devices(), ("i",))
local_sum = jax.jit(jax.shard_map(add_up, mesh=local, in_specs=P("i"), out_specs=P()))(x)

world = Mesh(jax.devices(), ("i",))
g = multihost_utils.host_local_array_to_global_array(x, world, P("i"))
global_sum = jax.jit(jax.shard_map(add_up, mesh=world, in_specs=P("i"), out_specs=P()))(g)
"""

REPLICAS = """\
mesh = Mesh(np.array(jax.devices()).reshape(1, 2), ("data", "model"))

def from_this_process(shape, spec):
    mine = jnp.full(shape, jax.process_index(), jnp.int32)
    sharding = NamedSharding(mesh, spec)
    return jax.make_array_from_single_device_arrays((4, 8), sharding, [mine])

a = from_this_process((4, 8), P("data", None))
b = from_this_process((4, 4), P(None, "model"))
result = jax.jit(lambda a, b: (a + 1) * (b + 2))(a, b)
"""


@dataclass(frozen=True, eq=False)
class Experiment:
    """A program and what must come of it.

    Attributes:
        title: what it shows, in a few words.
        processes: how many processes it runs on.
        devices: how many devices each of them has.
        program: the cell that every process runs.
        expected: name of a variable -> its values on every device.
    """

    title: str
    processes: int
    devices: int
    program: str
    expected: Mapping[str, Values]


def psum() -> Experiment:
    """A sum over a local mesh and over the global one, on two processes of four devices."""
    mine = [(8 * process + np.arange(8)).reshape(4, 2) for process in range(2)]
    local = [rows.sum(axis=0) for rows in mine]
    everywhere = np.concatenate(mine).sum(axis=0)
    return Experiment(
        "psum: a local mesh adds up one process, the global mesh adds up all",
        processes=2,
        devices=4,
        program=PSUM,
        expected={
            "local_sum": {label: local[process] for process, label in labels(2, 4)},
            "global_sum": {label: everywhere for _, label in labels(2, 4)},
        },
    )


def replicas() -> Experiment:
    """An array that says it is replicated over two processes, and holds zeros and ones."""
    a = [np.full((4, 8), process) for process in range(2)]
    b = [np.full((4, 4), process) for process in range(2)]
    # Each device reads its own copy of a, so the columns of the result disagree about a.
    result = [(a[p][:, 4 * p : 4 * p + 4] + 1) * (b[p] + 2) for p in range(2)]
    return Experiment(
        "replicas: an array that says it is replicated, and is not",
        processes=2,
        devices=1,
        program=REPLICAS,
        expected={
            name: {label: values[process] for process, label in labels(2, 1)}
            for name, values in {"a": a, "b": b, "result": result}.items()
        },
    )


def labels(processes: int, devices: int) -> Iterator[tuple[int, str]]:
    """(process, device label) of every device, in order."""
    for process in range(processes):
        for device in range(devices):
            yield process, device_label(process, device)


def differences(name: str, expected: Values, held: Values) -> list[str]:
    """One sentence for each device that does not hold what it must; empty when all do."""
    words = [f"{name}: nothing is known of {label}" for label in expected if label not in held]
    words += [f"{name}: {label} was not expected to hold it" for label in held.keys() - expected]
    return words + [
        f"{name} on {label}: expected {flat(expected[label])}, found {flat(held[label])}"
        for label in expected.keys() & held.keys()
        if not np.array_equal(expected[label], held[label])
    ]


def flat(values: np.ndarray) -> str:
    """An array in one line."""
    return " ".join(str(np.asarray(values)).split())
