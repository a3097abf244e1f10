"""The value of a cell, as plain data that needs no JAX to be read.

Everything is tagged, ``("is", 3)``, ``("list", [...])``, ``("fact", record)``, so that a
learner's own dict is never taken for a record. :func:`labkit.analysis.arrays.decode` reads it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.engine.arrays.describe import DIGEST_BYTES, Record, is_array, is_host_array, tell, thing
from labkit.engine.arrays.shard_content import Budget, is_key

LIMIT_BYTES = 64 * 2**20
LIMIT_ITEMS = 100_000
LIMIT_DEPTH = 50

_ITSELF = (type(None), bool, int, float, complex, str, bytes)
_CONTAINERS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}

Tagged = tuple[str, Any]


def plain(value: Any, limit_bytes: int = LIMIT_BYTES) -> Tagged:
    """A value as tagged plain data.

    Args:
        value: anything. A JAX array of this process alone comes as numpy; one that spans
            processes, PRNG keys and meshes come as records; objects as type and repr.
        limit_bytes: for all arrays, strings and bytes together; what does not fit comes as
            a record with a preview.
    """
    return _Encoder(limit_bytes).encode(value)


class _Encoder:
    """One walk through one value, with what it may still spend."""

    def __init__(self, limit_bytes: int) -> None:
        self.bytes = Budget(limit_bytes)
        self.digests = Budget(DIGEST_BYTES)
        self.items = Budget(LIMIT_ITEMS)
        self.open: list[int] = []  # the containers we are inside of

    def encode(self, value: Any) -> Tagged:
        tag = _container(value)
        if tag and self._enters(value):
            return (tag, self._inside(value))
        if self._is_itself(value):
            return ("is", value)
        if _is_local(value) and self.bytes.take(value.nbytes):
            return ("is", np.asarray(value))
        return ("fact", _not_followed(value) if tag else tell(value, budget=self.digests))

    def _enters(self, value: Any) -> bool:
        cyclic = id(value) in self.open
        return not cyclic and len(self.open) < LIMIT_DEPTH and self.items.take(len(value))

    def _inside(self, value: Any) -> list[Any]:
        self.open.append(id(value))
        if isinstance(value, dict):
            inside = [(self.encode(k), self.encode(v)) for k, v in value.items()]
        else:
            inside = [self.encode(v) for v in value]
        self.open.pop()
        return inside

    def _is_itself(self, value: Any) -> bool:
        # Exact types: an instance of a learner's subclass could not be read elsewhere.
        if type(value) in _ITSELF:
            return self.bytes.take(len(value) if isinstance(value, str | bytes) else 0)
        if is_host_array(value) or (isinstance(value, np.generic) and not value.dtype.hasobject):
            return self.bytes.take(value.nbytes)
        return False


def _not_followed(value: Any) -> Record:
    # Its repr would follow it, and take as long.
    size = f"{type(value).__name__} of {len(value)}"
    return thing(value, f"<{size}, not sent: too deep, too many values, or within itself>")


def _container(value: Any) -> str:
    return next((tag for tag, kind in _CONTAINERS.items() if isinstance(value, kind)), "")


def _is_local(value: Any) -> bool:
    if not is_array(value) or is_key(value) or value.is_deleted():
        return False
    return value.is_fully_addressable
