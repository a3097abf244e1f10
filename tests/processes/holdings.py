"""What the processes hold in test_collect: imported by the processes, never by the tests."""

import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from labkit.engine.arrays import queries, shard_content
from tests.processes.cases import CASES, Case, whole


class State:
    """Stands for an object of a learner's."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __repr__(self) -> str:
        raise KeyError("no repr today")

    @property
    def broken(self) -> Any:
        raise RuntimeError("nothing behind this")


def grid(backwards: bool = False) -> Mesh:
    devices = np.array(jax.devices()).reshape(jax.process_count(), -1)
    return Mesh(devices[::-1, ::-1] if backwards else devices, ("p", "d"))


def built(case: Case) -> jax.Array:
    full = whole(case)
    sharding = NamedSharding(grid(case.backwards), P(*case.spec))
    return jax.make_array_from_callback(full.shape, sharding, lambda index: full[index])


def filled_by_each() -> jax.Array:
    """Claims to be replicated, and holds the process's index on its devices."""
    mine = [jnp.full((4,), jax.process_index(), jnp.int32, device=d) for d in jax.local_devices()]
    sharding = NamedSharding(grid(), P())
    return jax.make_array_from_single_device_arrays((4,), sharding, mine)


def namespace(cases: Mapping[str, Case] = CASES) -> dict[str, Any]:
    index, first, last = jax.process_index(), jax.devices()[0], jax.local_devices()[-1]
    own_mesh = Mesh(np.array(jax.local_devices()), ("i",))
    own = jnp.arange(3) + 10 * index
    deleted = jnp.ones(3)
    deleted.delete()
    leaked = []
    jax.jit(leaked.append)(own)
    keys = jax.random.split(jax.random.key(7), 8)
    key_data = np.asarray(jax.random.key_data(keys))
    only_first = {"only_first": 1} if index == 0 else {}
    return only_first | {
        **{name: built(case) for name, case in cases.items()},
        "grid": grid(),
        "own_mesh": own_mesh,
        "explicit": jax.make_mesh((jax.device_count(),), ("all",)),
        "own": own,
        "on_last": jax.device_put(own, last),
        "over_own_mesh": jax.device_put(np.arange(8), NamedSharding(own_mesh, P("i"))),
        "on_first_device": jax.device_put(np.arange(3), first),
        "diverged": filled_by_each(),
        "deleted": deleted,
        "key": jax.random.key(7),
        "keys": jax.jit(lambda: keys, out_shardings=NamedSharding(grid(), P("p")))(),
        "key_data": key_data,
        "host": np.arange(6.0).reshape(2, 3).T,
        "host_text": np.array(["here", "there"]),
        "objects": np.array([own, None], dtype=object),
        "masked": np.ma.array([1, 2], mask=[True, False]),
        "scalar": np.float32(2.5),
        "number": 3,
        "unlike": index,
        "words": "x" * 5000 + str(index),
        "nothing": None,
        "function": namespace,
        "tracer": leaked[0],
        "state": State(own),
        "params": {"w": own, "layers": [own, {"b": own}]},
    }


def told(names: list[str], big: list[str]) -> dict[str, Any]:
    held = namespace()
    return {
        "process": queries.process(),
        "records": queries.describe(names, held),
        "values": {name: queries.values(name, held) for name in big},
        "refused": {name: refusal(name, held) for name in ("number", "grid", "deleted", "own[0]")},
    }


def refusal(name: str, held: dict[str, Any]) -> str:
    try:
        return f"gave {queries.values(name, held)}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def plain() -> dict[str, Any]:
    held = namespace(cases={})
    wanted = ("own", "over_own_mesh", "on_first_device", "diverged", "keys", "grid", "deleted")
    told = {name: held[name] for name in (*wanted, "host", "objects", "tracer", "state")}
    told |= {
        "simple": [None, True, 3, 2.5, 1j, "text", b"bytes", (1, 2), {3}, frozenset({4})],
        "numpy": [np.float32(2.5), np.arange(3), np.asarray(jnp.bfloat16(1.5))[()]],
        "like_a_record": {"kind": "array", "shape": (1,), 5: ("fact", "is")},
        "named": Point(1, held["own"]),
        "subclass": Mine(3),
        "cyclic": cyclic(),
    }
    return {name: queries.plain(value) for name, value in told.items()} | {
        "deep": queries.plain(nested(lambda inner: [inner], 1000)),
        "wide": queries.plain(nested(lambda inner: [inner, inner], 60)),
        "too_big": queries.plain([held["own"], np.zeros(9), b"z" * 40, 1], limit_bytes=40),
    }


class Point(NamedTuple):
    x: int
    y: Any


class Mine(int):
    """A number that a client could not read."""


def cyclic() -> list[Any]:
    values: list[Any] = [1]
    values.append(values)
    return values


def nested(around: Callable[[Any], Any], times: int) -> Any:
    value: Any = [0]
    for _ in range(times):
        value = around(value)
    return value


def big() -> dict[str, Any]:
    """Arrays of 8 MiB a device and on the host, told with more and more digests.

    ``peaks`` are the bytes that Python and numpy took meanwhile, at most.
    """
    full = np.arange(1024 * 2048, dtype=np.float32).reshape(1024, 2048)
    sharding = NamedSharding(grid(), P())
    x = jax.make_array_from_callback(full.shape, sharding, lambda index: full[index])
    told, peaks = {}, {}
    for name, limit in (("none", 0), ("one", full.nbytes + 1), ("all", 2**30)):
        tracemalloc.start()
        told[name] = queries.describe(["x", "y"], {"x": x, "y": full}, digest_bytes=limit)
        peaks[name] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return {"told": told, "peaks": peaks}


def off_the_cpu(names: list[str]) -> list[Any]:
    """The same records twice: as on a CPU, and with every block cut on its device first."""
    held = namespace()
    near = queries.describe(names, held, preview_bytes=16, digest_bytes=0)
    shard_content._in_memory = lambda data: isinstance(data, np.ndarray)
    return [near, queries.describe(names, held, preview_bytes=16, digest_bytes=0)]


def one_alone(names: list[str]) -> Any:
    """Only process 1 is asked; process 0 does nothing meanwhile."""
    held = namespace()
    if jax.process_index() == 0:
        return None
    for name in CASES:
        queries.values(name, held)
    queries.plain(held)
    return queries.describe(names, held)
