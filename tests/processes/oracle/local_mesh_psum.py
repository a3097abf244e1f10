"""The psum question, second program: shard_map over a mesh of this process's devices alone."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from tests.processes.oracle.drawn import drawn


def main() -> dict[str, Any]:
    mesh = Mesh(np.array(jax.local_devices()), ("i",))
    size = 2 * jax.local_device_count()
    x = size * jax.process_index() + jnp.arange(size)

    def over_mesh(f):
        return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i")))

    x_s = over_mesh(lambda v: v)(x)
    y = over_mesh(lambda v: jax.lax.psum(v, "i"))(x)
    return {
        "x": np.asarray(x),
        "shards": [np.asarray(shard.data) for shard in x_s.addressable_shards],
        "addressable": x_s.is_fully_addressable,
        # Not an array over both processes: the gather stacks two arrays of the same name.
        "gathered": np.asarray(multihost_utils.process_allgather(x_s)),
        "psum": np.asarray(y),
        "psum_shards": [np.asarray(shard.data) for shard in y.addressable_shards],
        "drawn": {"x": drawn(x), "x_s": drawn(x_s)},
    }
