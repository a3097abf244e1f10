"""The tree of ``faults.py`` on real devices: imported by the processes, never by the tests."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import labkit
from labkit.engine.arrays import shard_content
from labkit.engine.arrays.device_labels import label
from labkit.engine.replicas import digest
from tests.processes.faults import FAULTS, KEYS, Held


def grid() -> Mesh:
    return Mesh(np.array(jax.devices()).reshape(jax.process_count(), -1), ("p", "d"))


def built(name: str, held: Held) -> jax.Array:
    mesh = Mesh(np.array(jax.local_devices()), ("d",)) if held.own else grid()
    keys = name in KEYS
    arrays = [_on(device, name, held) for device in jax.local_devices()]
    shape = held.base.shape[:-1] if keys else held.base.shape
    sharding = NamedSharding(mesh, P("d") if held.cut else P())
    return jax.make_array_from_single_device_arrays(shape, sharding, arrays)


def _on(device: jax.Device, name: str, held: Held) -> jax.Array:
    value = held.copy(label(device))[held.rows(label(device)) if held.cut else ...]
    array = jax.device_put(value, device)
    return jax.random.wrap_key_data(array) if name in KEYS else array


def tree() -> dict[str, Any]:
    """All leaves of ``faults.py``."""
    me = jax.process_index()
    return {
        **{name: built(name, held) for name, held in FAULTS.items()},
        **_problems(me),
        "good_number": 3,
        "good_text": "same",
        "good_numpy": np.full(3, np.nan),
    }


def _problems(me: int) -> dict[str, Any]:
    kinds = (np.float32, np.int32)
    deleted = built("deleted", Held(np.ones(4, np.float32)))
    if me == 1:
        deleted.delete()
    only = {"only_first": np.ones(2)} if me == 0 else {}
    return only | {
        "deleted": deleted,
        "dtype": jnp.ones(4, kinds[me]),
        "shape": jnp.ones(4 + me),
        "spec": _two_specs(me),
        "number": 0.5 / (1 + me),
        "text": "ab"[me],
        "numpy": np.array([1.0, 2.0 + me]),
        "unread": jnp.ones(3, np.float16),
    }


def _two_specs(me: int) -> jax.Array:
    # 2 processes with 2 of 4 devices each way round would not be cut alike: over a mesh of one
    # device a process, both specs give each device all of it or nothing to quarrel about.
    own = Mesh(np.array(jax.local_devices()[:1]).reshape(1, 1), ("p", "d"))
    return jax.device_put(np.ones(4, np.float32), NamedSharding(own, P("dp"[me])))


def unreadable(data: Any) -> Any:
    """In place of ``digest.readable``: in process 1, as if the half-precision leaf had failed.

    On a CPU what fails does so at once, so that no array is left that could not be read.
    """
    if data.dtype == np.float16 and jax.process_index() == 1:
        raise RuntimeError("no such luck")
    return shard_content.readable(data)


def plain(report: Any) -> dict[str, Any]:
    """A report as plain data, for a test that has no JAX."""
    return {
        "text": repr(report),
        "agree": report.agree,
        "name": report.name,
        "leaves": [
            vars(leaf) | {"copies": [vars(c) for c in leaf.copies]} for leaf in report.leaves
        ],
        "seconds": report.seconds,
        "nbytes": report.nbytes,
    }


def checked() -> dict[str, Any]:
    """What ``check_replicas`` says of the faults, of good leaves, and what it raises."""
    found = tree()
    digest.readable = unreadable
    good = {name: found[name] for name in ("equal_nans", "good_keys", "good_number", "good_own")}
    donated = built("poked", FAULTS["good_slices"])
    labkit.check_replicas(donated)
    jax.block_until_ready(jax.jit(lambda x: x + 1, donate_argnums=0)(donated))
    batch = {"batch": found["own"]}
    return {
        "report": plain(labkit.check_replicas(found, on_difference="return")),
        "good": plain(labkit.check_replicas(good)),
        "raised": raised(lambda: labkit.check_replicas({"w": found["poked"]})),
        "unread": raised(lambda: labkit.check_replicas(Unreadable())),
        "refused": raised(lambda: labkit.check_replicas(good, on_difference="stop")),
        "apart": labkit.check_replicas(batch, own=False).agree,
        "donated": donated.is_deleted(),
    }


@jax.tree_util.register_pytree_node_class
class Unreadable:
    """A node that one process cannot flatten."""

    def tree_flatten(self) -> Any:
        if jax.process_index() == 1:
            raise ValueError("not today")
        return (), None

    @classmethod
    def tree_unflatten(cls, *parts: Any) -> Any:
        return cls()


def raised(call: Any) -> tuple[str, str]:
    try:
        return "nothing", repr(call())
    except Exception as error:
        return type(error).__name__, str(error)
