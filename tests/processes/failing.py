"""What the processes do in test_explain: imported by them, never by the test."""

import traceback
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

NAMES = {"jax": jax, "jnp": jnp, "np": np, "Mesh": Mesh, "NamedSharding": NamedSharding, "P": P}
SETUP = """
mesh = Mesh(np.array(jax.devices()), ("i",))
sharding, whole = NamedSharding(mesh, P("i")), NamedSharding(mesh, P())
mine = 2 * jax.process_index() + np.arange(2.0)
x = jax.make_array_from_process_local_data(sharding, mine)

explicit = jax.make_mesh((4,), ("i",))
told = NamedSharding(explicit, P())
e = jax.device_put(np.ones((4, 4)), NamedSharding(explicit, P("i")))

def mapped(f, out=P("i"), **more):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=out, **more))(x)

def scan_from(start):
    return mapped(lambda v: jax.lax.scan(lambda c, _: (c + v, None), start(), None, length=3)[0])

def either(other):
    return mapped(lambda v: jax.lax.cond(True, lambda: v, other))

def varying():
    return jax.lax.pcast(jnp.zeros(1), "i", to="varying")
"""


def attempts(sources: list[str], setup: str = SETUP) -> list[dict[str, Any] | None]:
    """How each source failed, None where it did not."""
    names: dict[str, Any] = {**NAMES, "multihost_utils": multihost_utils}
    exec(setup, names)
    return [_attempt(source, names) for source in sources]


def _attempt(source: str, names: dict[str, Any]) -> dict[str, Any] | None:
    try:
        exec(source, names)
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return {"type": type(error).__name__, "message": str(error), "traceback": text}
    return None
