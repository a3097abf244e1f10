"""Two runs of one program compared, on the devices of this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from labkit.engine.arrays.shard_content import readable


def agreement(plain: Sequence[Any], outs: Sequence[Any]) -> tuple[bool, float, float]:
    """Whether all bits are equal, the largest difference, the largest value that is no NaN."""
    pairs = [pair for one in zip(plain, outs, strict=True) for pair in _pairs(*one)]
    bitwise = all(a.tobytes() == b.tobytes() for a, b in pairs)
    wide = [(_wide(a), _wide(b)) for a, b in pairs]
    largest = 0.0 if bitwise else _largest(_differences(a, b) for a, b in wide)
    return bitwise, largest, _largest(a[~np.isnan(a)] for a, _ in wide)


def _differences(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """NaN where one side has it; infinities and NaNs on both sides do not differ."""
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return np.where(same, 0, np.subtract(one, other, where=~same, out=np.zeros_like(one)))


def _wide(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(complex if np.iscomplexobj(numbers) else float)


def _largest(arrays: Iterable[np.ndarray]) -> float:
    # numpy's maximum keeps a NaN, Python's loses it
    return float(np.max([np.max(np.abs(a)) for a in arrays if a.size], initial=0.0))


def _pairs(plain: Any, out: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    mine = {shard.device: np.asarray(readable(shard.data)) for shard in out.addressable_shards}
    for shard in plain.addressable_shards:
        yield np.asarray(readable(shard.data)), mine[shard.device]
