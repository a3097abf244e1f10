"""Two runs of one program compared, on the devices of this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from labkit.engine.arrays.shard_content import readable
from labkit.facts.differences import differences


def agreement(plain: Sequence[Any], outs: Sequence[Any]) -> tuple[bool, float, float]:
    """Whether all bits are equal, the largest difference, the largest value that is no NaN."""
    pairs = [pair for one in zip(plain, outs, strict=True) for pair in _pairs(*one)]
    bitwise = all(a.tobytes() == b.tobytes() for a, b in pairs)
    largest = 0.0 if bitwise else _largest(differences(a, b) for a, b in pairs)
    sizes = (differences(a, np.zeros_like(a)) for a, _ in pairs)
    return bitwise, largest, _largest(size[~np.isnan(size)] for size in sizes)


def _largest(arrays: Iterable[np.ndarray]) -> float:
    # numpy's maximum keeps a NaN, Python's loses it
    return float(np.max([np.max(a) for a in arrays if a.size], initial=0.0))


def _pairs(plain: Any, out: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    mine = {shard.device: np.asarray(readable(shard.data)) for shard in out.addressable_shards}
    for shard in plain.addressable_shards:
        yield np.asarray(readable(shard.data)), mine[shard.device]
