"""The psum question, first program: pmap. Each process sees its own rows; the sum is global."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.processes.oracle.drawn import drawn


@functools.partial(jax.pmap, axis_name="i")
def psum_data(data: jax.Array) -> jax.Array:
    return jax.lax.psum(data, "i")


def main() -> dict[str, Any]:
    size = 2 * jax.local_device_count()
    x = size * jax.process_index() + jnp.arange(size).reshape(-1, 2)
    x_s = jax.pmap(lambda v: v, axis_name="i")(x)
    return {
        "x": np.asarray(x),
        "shards": [np.asarray(shard.data) for shard in x_s.addressable_shards],
        "addressable": x_s.is_fully_addressable,
        "psum": np.asarray(psum_data(x)),
        "drawn": {"x": drawn(x), "x_s": drawn(x_s)},
    }
