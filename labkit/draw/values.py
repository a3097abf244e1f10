"""The values of a shard as a bounded block of short texts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from labkit.draw.words import number
from labkit.facts import Array, Shard

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Pane:
    """Two dimensions of a shard.

    Attributes:
        label: the leading indices in the whole array, ``"[1, 0]"``; empty up to 2-D.
        rows: the elements as text, ``…`` where some are left out.
    """

    label: str
    rows: Rows


@dataclass(frozen=True)
class Block:
    """What is shown of a shard's values.

    Attributes:
        panes: one, or a few above 2-D; none when no value can be shown.
        note: what is left out, in words; empty when everything is there.
    """

    panes: tuple[Pane, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Room:
    """How much of a shard may be shown: rows and columns of a pane, panes, digits."""

    rows: int = 4
    columns: int = 4
    panes: int = 2
    digits: int = 5


def block(shard: Shard, array: Array, room: Room, pick: tuple[int, ...] = ()) -> Block:
    """The shard's values as text, no more than there is room for.

    Args:
        shard: one shard of ``array``.
        array: says the element type, and which part the shard is.
        room: the most to show.
        pick: leading indices in the whole array: only panes that begin with them are shown.
    """
    if shard.value is None:
        return Block((), "value not shown")
    texts = _texts(shard, array.dtype, room.digits)
    if texts.size == 0:
        return Block((), "no elements")
    panes = [pane for pane in _panes(shard, texts) if pane[0][: len(pick)] == pick]
    if not panes:
        return Block((), f"no part of {list(pick)}")
    shown = [_pane(index, grid, shard, room) for index, grid in panes[: room.panes]]
    return Block(tuple(pane for pane, _ in shown), _note(sum(n for _, n in shown), shard))


def _texts(shard: Shard, dtype: str, digits: int) -> np.ndarray:
    value = np.asarray(shard.value)
    if dtype.startswith("key<"):
        return _keys(value)
    texts = np.empty(value.shape, dtype=object)
    for index in np.ndindex(value.shape):
        texts[index] = number(value[index], digits)
    return texts


def _keys(data: np.ndarray) -> np.ndarray:
    """A PRNG key is one element, though its data has a dimension of its own."""
    texts = np.empty(data.shape[:-1], dtype=object)
    for index in np.ndindex(texts.shape):
        texts[index] = ":".join(str(word) for word in data[index])
    return texts


def _panes(shard: Shard, texts: np.ndarray) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """(leading indices in the whole array, two-dimensional grid) for each pane there is."""
    texts = texts.reshape((1,) * (2 - texts.ndim) + texts.shape)
    starts = [start for start, _ in shard.index[:-2]]
    leading = product(*(range(size) for size in texts.shape[:-2]))
    return [(tuple(map(sum, zip(starts, at, strict=True))), texts[at]) for at in leading]


def _pane(
    index: tuple[int, ...], grid: np.ndarray, shard: Shard, room: Room
) -> tuple[Pane, int]:
    sizes = ((1, 1, *shard.shape)[-2:], (room.rows, room.columns))
    rows, columns = (
        _kept(have, full, most) for have, full, most in zip(grid.shape, *sizes, strict=True)
    )
    cells = tuple(tuple(_cell(grid, row, column) for column in columns) for row in rows)
    shown = sum(row is not None for row in rows) * sum(c is not None for c in columns)
    return Pane(str(list(index)) if index else "", cells), shown


def _cell(grid: np.ndarray, row: int | None, column: int | None) -> str:
    if row is None:
        return "⋮"
    return "…" if column is None else grid[row, column]


def _kept(have: int, full: int, most: int) -> list[int | None]:
    """Which of ``full`` positions to show; None stands for those left out.

    The middle goes first; of an incomplete preview only the beginning is known.
    """
    if have == full <= most:
        return list(range(full))
    if have < full:
        return [*range(min(have, most - 1)), None]
    tail = (most - 1) // 2
    return [*range(most - 1 - tail), None, *range(full - tail, full)]


def _note(shown: int, shard: Shard) -> str:
    total = prod(shard.shape)
    return "" if shown == total else f"{shown:,} of {total:,} values"
