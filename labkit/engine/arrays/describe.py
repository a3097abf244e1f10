"""One value of this process, told as a plain record.

Nothing here communicates: an array is told from ``addressable_shards`` alone, so a process
can be asked while the others are busy, gone, or disagree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

from labkit.engine.arrays.device_labels import host_label, label
from labkit.engine.arrays.shard_content import Budget, content, digest_text

PREVIEW_BYTES = 2048
DIGEST_BYTES = 64 * 2**20
TEXT_CHARACTERS = 2000

Record = dict[str, Any]


def tell(value: Any, preview_bytes: int = PREVIEW_BYTES, budget: Budget | None = None) -> Record:
    """The record of a value: ``kind`` and the fields of that fact.

    Args:
        value: anything.
        preview_bytes: size of the largest block of a shard's elements that is told.
        budget: bytes that may be hashed.

    Returns:
        ``kind`` is ``"array"``, ``"mesh"`` or ``"thing"``; a value that cannot be read is
        the thing its error is. Arrays also have ``owners``: the processes whose devices
        they lie on, for a process may well know an array of which it holds nothing.
    """
    budget = budget or Budget(DIGEST_BYTES)
    try:
        if is_host_array(value):
            return _host_array(value, preview_bytes, budget)
        if is_array(value):
            return _array(value, preview_bytes, budget)
        return mesh_of(value) if isinstance(value, jax.sharding.Mesh) else thing(value)
    except Exception as error:
        # An array whose computation failed raises when it is read; the others can still be told.
        return thing(error, str(error))


def is_array(value: Any) -> bool:
    """Whether it is a JAX array that has values, not a tracer."""
    return isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer)


def is_host_array(value: Any) -> bool:
    """Whether it is a numpy array of plain elements; objects inside could be anything."""
    return type(value) is np.ndarray and not value.dtype.hasobject


def thing(value: Any, text: str | None = None) -> Record:
    """Type and shortened text of a value, its repr if no other; the digest is of the whole text."""
    text = _repr(value) if text is None else text
    digest = digest_text(text)
    return {"kind": "thing", "type": type(value).__name__, "text": shorten(text), "digest": digest}


def shorten(text: str) -> str:
    """At most about 2000 characters: the middle of a longer text becomes a count."""
    half = TEXT_CHARACTERS // 2
    cut = len(text) - 2 * half
    return text if cut <= 0 else f"{text[:half]} … {cut} characters … {text[-half:]}"


def _repr(value: Any) -> str:
    try:
        # An address says nothing, and makes the same function look different everywhere.
        return re.sub(r" at 0x[0-9a-f]+>", ">", repr(value))
    except Exception as error:
        return f"<its repr raised {type(error).__name__}: {error}>"


def _array(value: jax.Array, preview_bytes: int, budget: Budget) -> Record:
    sharding = value.sharding
    named = isinstance(sharding, jax.sharding.NamedSharding)
    deleted = value.is_deleted()  # its shards can no longer be asked for
    shards = () if deleted else value.addressable_shards
    owners = tuple(sorted({device.process_index for device in sharding.device_set}))
    return {
        "kind": "array",
        "shape": value.shape,
        "dtype": str(value.dtype),
        "shards": tuple(_shard(s, value.shape, preview_bytes, budget) for s in shards),
        "spec": spec_of(sharding.spec) if named else None,
        "mesh": mesh_of(sharding.mesh) if named else None,
        "spans": len(owners) > 1,
        "owners": owners,
        "replicated": value.is_fully_replicated,
        "where": "device",
        "deleted": deleted,
    }


def _host_array(value: np.ndarray, preview_bytes: int, budget: Budget) -> Record:
    index = tuple((0, size) for size in value.shape)
    shard = {"device": host_label(), "index": index, "shape": value.shape, "replica": 0}
    return {
        "kind": "array",
        "shape": value.shape,
        "dtype": str(value.dtype),
        "shards": (shard | content(value, preview_bytes, budget),),
        "spec": None,
        "mesh": None,
        "spans": False,
        "owners": (jax.process_index(),),
        "replicated": False,
        "where": "host",
        "deleted": False,
    }


def bounds(shard: jax.Shard, shape: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Which slice of the array a shard is: (start, stop) of each dimension."""
    # The index of a key array has one dimension too many; zip leaves it out.
    pairs = zip(shard.index, shape, strict=False)
    return tuple(part.indices(size)[:2] for part, size in pairs)


def _shard(shard: Any, shape: tuple[int, ...], preview_bytes: int, budget: Budget) -> Record:
    return {
        "device": label(shard.device),
        "index": bounds(shard, shape),
        "shape": shard.data.shape,
        "replica": shard.replica_id,
    } | content(shard.data, preview_bytes, budget)


def spec_of(spec: Iterable[Any]) -> tuple[Any, ...]:
    """A PartitionSpec as plain names: ``("data", None, ("x", "y"))``."""
    entries = [e if isinstance(e, tuple) else (e,) for e in spec]
    return tuple(e[0] if len(e) == 1 else e or None for e in entries)


def mesh_of(mesh: jax.sharding.Mesh) -> Record:
    """The record of a mesh: the fields of ``facts.Mesh``."""
    return {
        "kind": "mesh",
        "axis_names": tuple(str(name) for name in mesh.axis_names),
        "shape": tuple(mesh.devices.shape),
        "devices": tuple(label(device) for device in mesh.devices.flat),
        "axis_types": tuple(kind.name for kind in mesh.axis_types),
    }
