"""The batch question: two processes, one device each, fill an array that claims replication."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

SHAPE = (4, 8)


def main() -> dict[str, Any]:
    mesh = Mesh(np.array(jax.devices()).reshape(1, -1), ("data", "model"))
    a = filled(NamedSharding(mesh, P("data", None)))
    b = filled(NamedSharding(mesh, P(None, "model")))
    combine = jax.jit(
        lambda a, b: (a + 1) * (b + 2),
        in_shardings=(a.sharding, b.sharding),
    )
    arrays = {"a": a, "b": b, "result": combine(a, b)}
    return {name: read(array) for name, array in arrays.items()}


def filled(sharding: NamedSharding) -> jax.Array:
    """Every process fills the shard of its device with its own index."""
    part = jnp.full(sharding.shard_shape(SHAPE), jax.process_index(), jnp.int32)
    mine = jax.device_put(part, jax.local_devices()[0])
    return jax.make_array_from_single_device_arrays(SHAPE, sharding, [mine])


def read(array: jax.Array) -> dict[str, Any]:
    """What this process can say of an array: its claim, its own shard, the gathered whole."""
    return {
        "replicated": array.is_fully_replicated,
        "spec": tuple(array.sharding.spec),
        "shard": np.asarray(array.addressable_shards[0].data),
        "gathered": multihost_utils.process_allgather(array, tiled=True),
    }
