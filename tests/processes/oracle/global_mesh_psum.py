"""The psum question, third program: shard_map over a mesh of all devices of all processes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from tests.processes.oracle.drawn import drawn


def main() -> dict[str, Any]:
    mesh = Mesh(np.array(jax.devices()), ("i",))
    size = 2 * jax.local_device_count()
    x = size * jax.process_index() + jnp.arange(size)
    whole = multihost_utils.host_local_array_to_global_array(x, mesh, P("i"))

    def over_mesh(f):
        return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i")))

    x_s = over_mesh(lambda v: v)(whole)
    y = over_mesh(lambda v: jax.lax.psum(v, "i"))(whole)
    local = multihost_utils.global_array_to_host_local_array(y, mesh, P("i"))
    return {
        "x": np.asarray(x),
        "shards": [np.asarray(shard.data) for shard in x_s.addressable_shards],
        "addressable": x_s.is_fully_addressable,
        "gathered": multihost_utils.process_allgather(x_s, tiled=True),
        "psum_shards": [np.asarray(shard.data) for shard in y.addressable_shards],
        "psum_gathered": multihost_utils.process_allgather(y, tiled=True),
        "psum_local": np.asarray(local),
        "drawn": {"x": drawn(x), "x_s": drawn(x_s)},
    }
