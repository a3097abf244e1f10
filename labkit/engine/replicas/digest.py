"""Hashes of all that this process holds of a tree, and the elements where hashes differ.

Nothing here communicates, and nothing is copied but the elements that are asked for: a shard on
a CPU device is hashed where it lies; one on another device is fetched for it, one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np
import xxhash

from labkit.engine.arrays.describe import Record, bounds, is_array, is_host_array, spec_of, thing
from labkit.engine.arrays.device_labels import host_label, label
from labkit.engine.arrays.shard_content import raw, readable

BLOCK = 256 * 1024
"""Bytes of a block; a multiple of every element's size."""

_NUMBERS = (bool, int, float, complex, np.generic)

Place = tuple[str, str]
"""A leaf's path, and the label of the device that holds it."""


class Tree:
    """The leaves of a pytree in this process: hashes first, elements only where asked for.

    Every question takes the same list in all processes; each answers for what it holds.
    """

    def __init__(self, tree: Any) -> None:
        """Hold the leaves of ``tree``, whatever they are."""
        found, self.structure = jax.tree_util.tree_flatten_with_path(tree)
        self.leaves = {jax.tree_util.keystr(path): leaf for path, leaf in found}
        self.held: dict[Place, Any] = {}  # shards, and values in the process's own memory
        self.put: dict[Place, Any] = {}  # what is to stand there instead

    def records(self) -> list[Record]:
        """What each leaf is here, and a hash of every shard.

        Returns:
            ``path``, ``kind`` (``"array"``, ``"host"`` or ``"thing"``), ``shape``, ``dtype``,
            ``spec``, ``nbytes`` of a whole copy, ``owners``, ``shards`` as (device label, index,
            hash), ``text`` of a host value, ``trouble`` where it cannot be read.
        """
        return [{"path": path, **self._record(path, leaf)} for path, leaf in self.leaves.items()]

    def blocks(self, places: Iterable[Place]) -> dict[Place, bytes]:
        """The hashes of all blocks of the shards there, one after the other."""
        return {place: _block_hashes(self.read(place)) for place in places if place in self.held}

    def elements(self, wanted: Iterable[tuple[Place, int]]) -> dict[tuple[Place, int], np.ndarray]:
        """The elements of blocks of shards: flat, PRNG keys as a row of words each."""
        mine = ((place, block) for place, block in wanted if place in self.held)
        return {(place, block): self._elements(place, block) for place, block in mine}

    def windows(
        self, wanted: Iterable[tuple[Place, tuple[tuple[int, int], ...]]]
    ) -> dict[Place, np.ndarray]:
        """Small parts of shards: (start, stop) of each dimension within the shard."""
        mine = ((place, index) for place, index in wanted if place in self.held)
        return {p: np.array(self.read(p)[tuple(slice(*span) for span in i)]) for p, i in mine}

    def read(self, place: Place) -> np.ndarray:
        """What a device holds of a leaf."""
        return _seen(self.held[place])

    def _elements(self, place: Place, block: int) -> np.ndarray:
        data, held = self.read(place), self.held[place]
        flat = data.reshape(math.prod(np.shape(held)), *data.shape[np.ndim(held) :])
        each = BLOCK // (data.nbytes // len(flat))
        return np.array(flat[block * each : (block + 1) * each])

    def _record(self, path: str, leaf: Any) -> Record:
        try:
            if is_array(leaf):
                return self._array(path, leaf)
            if is_host_array(leaf) or isinstance(leaf, _NUMBERS):
                return self._host(path, leaf)
            return _thing(leaf)
        except Exception as error:
            # An array whose computation failed raises when it is read; it must keep nobody else
            # from being compared, nor this process from taking part.
            return _unread(leaf, " ".join(f"{type(error).__name__}: {error}".split())[:200])

    def _array(self, path: str, leaf: jax.Array) -> Record:
        sharding, deleted = leaf.sharding, leaf.is_deleted()
        shards = () if deleted else leaf.addressable_shards
        told = {(path, label(shard.device)): shard for shard in shards}
        self.held |= {place: shard.data for place, shard in told.items()}
        named = isinstance(sharding, jax.sharding.NamedSharding)
        width = max((_width(shard.data) for shard in shards), default=0)
        return {
            "kind": "array",
            "shape": leaf.shape,
            "dtype": str(leaf.dtype),
            "spec": spec_of(sharding.spec) if named else None,
            "nbytes": math.prod(leaf.shape) * width,
            "owners": tuple(sorted({device.process_index for device in sharding.device_set})),
            "shards": [(p[1], bounds(s, leaf.shape), self._hash(p)) for p, s in told.items()],
            "text": "",
            "trouble": "deleted" if deleted else "",
        }

    def _host(self, path: str, leaf: Any) -> Record:
        data, place = np.asarray(leaf), (path, host_label())
        if data.dtype.hasobject:  # an int beyond 64 bits
            return _thing(leaf)
        self.held[place] = data
        plain = not isinstance(leaf, np.ndarray | np.generic)
        index = tuple((0, size) for size in data.shape)
        return {
            "kind": "host",
            "shape": data.shape,
            "dtype": type(leaf).__name__ if plain else str(data.dtype),
            "spec": None,
            "nbytes": data.nbytes,
            "owners": (jax.process_index(),),
            "shards": [(place[1], index, self._hash(place))],
            "text": str(leaf) if data.ndim == 0 else "",
            "trouble": "",
        }

    def _hash(self, place: Place) -> bytes:
        return xxhash.xxh3_128_digest(raw(self.read(place)))


def _seen(data: jax.Array | np.ndarray) -> np.ndarray:
    data = readable(data)
    if isinstance(data, np.ndarray):
        return data
    if data.device.platform == "cpu":
        return np.asarray(data)
    # An array keeps what numpy has fetched of it. This one goes as soon as it was read, and the
    # copy on the host with it.
    passing = jax.make_array_from_single_device_arrays(data.shape, data.sharding, [data])
    return np.asarray(passing)


def _width(data: jax.Array) -> int:
    """Bytes of one element."""
    return readable(data).nbytes // max(data.size, 1)


def _block_hashes(data: np.ndarray) -> bytes:
    flat = raw(data)
    starts = range(0, len(flat), BLOCK)
    return b"".join(xxhash.xxh3_128_digest(flat[at : at + BLOCK]) for at in starts)


def _thing(leaf: Any) -> Record:
    told = thing(leaf)
    return _unread(leaf, "") | {
        "shards": [(host_label(), (), bytes.fromhex(told["digest"]))],
        "text": told["text"][:80],
    }


def _unread(leaf: Any, trouble: str) -> Record:
    return {
        "kind": "thing",
        "shape": (),
        "dtype": type(leaf).__name__,
        "spec": None,
        "nbytes": 0,
        "owners": (jax.process_index(),),
        "shards": [],
        "text": "",
        "trouble": trouble,
    }
