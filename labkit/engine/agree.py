"""Two runs of one program compared, on the devices of this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from labkit.engine.content import readable


def agreement(plain: Sequence[Any], outs: Sequence[Any]) -> tuple[bool, float, float]:
    """Whether all bits are equal, the largest difference, the largest value."""
    pairs = [pair for one in zip(plain, outs, strict=True) for pair in _pairs(*one)]
    if all(a.tobytes() == b.tobytes() for a, b in pairs):
        return True, 0.0, _largest(a for a, _ in pairs)
    wide = ((_wide(a), _wide(b)) for a, b in pairs)
    return False, _largest(a - b for a, b in wide), _largest(a for a, _ in pairs)


def _wide(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(complex if np.iscomplexobj(numbers) else float)


def _largest(arrays: Iterable[np.ndarray]) -> float:
    return max((float(np.max(np.abs(_wide(a)))) for a in arrays if a.size), default=0.0)


def _pairs(plain: Any, out: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    mine = {shard.device: np.asarray(readable(shard.data)) for shard in out.addressable_shards}
    for shard in plain.addressable_shards:
        yield np.asarray(readable(shard.data)), mine[shard.device]
