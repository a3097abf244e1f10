"""The names a cell runs with, and questions about what they stand for."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from IPython import get_ipython
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from labkit.engine.arrays import queries

START_NAMES = {
    "jax": jax,
    "jnp": jnp,
    "np": np,
    "Mesh": Mesh,
    "P": P,
    "NamedSharding": NamedSharding,
    "multihost_utils": multihost_utils,
}


_private: dict[str, dict[str, Any]] = {}


def forget() -> None:
    """Empty every namespace; what the learner has made is gone."""
    get_ipython().reset(new_session=False)
    _private.clear()


def names(namespace: str | None) -> dict[str, Any]:
    """The learner's namespace, or a private one that starts with the start names."""
    if namespace is None:
        return get_ipython().user_ns
    return _private.setdefault(namespace, {"__name__": "__main__", **START_NAMES})


def describe(wanted: list[str], namespace: str | None) -> dict[str, Any]:
    """Name → record of what it stands for here."""
    return queries.describe(wanted, names(namespace))


def values(name: str) -> tuple[dict[str, np.ndarray] | None, str]:
    """Device label → its whole shard, None where the name is not there; and why it cannot be told.

    A pair, so that the arrays travel pickled: those at the top of an answer ipyparallel sends as
    bare buffers, and bfloat16 has none.
    """
    try:
        return queries.values(name, names(None)), ""
    except (TypeError, RuntimeError, ValueError) as error:
        return None, str(error)
