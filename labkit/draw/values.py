"""The values of a shard as a bounded block of short texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from labkit.draw.numbers import texts, writer
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


def blocks(array: Array, room: Room, pick: tuple[int, ...] = ()) -> dict[str, Block]:
    """Device label → its shard's values as text, no more than there is room for.

    Args:
        array: with its shards.
        room: the most to show of each.
        pick: leading indices in the whole array: only panes that begin with them are shown.
    """
    known = [shard.value for shard in array.shards if shard.value is not None]
    write = writer(known, array.dtype, room.digits)
    return {shard.device: _block(shard, array.dtype, write, room, pick) for shard in array.shards}


def _block(
    shard: Shard, dtype: str, write: Callable[[Any], str], room: Room, pick: tuple[int, ...]
) -> Block:
    if shard.value is None:
        return Block((), "value not shown")
    grid = texts(np.asarray(shard.value), dtype, write)
    if grid.size == 0:
        return Block((), "no elements")
    panes = [pane for pane in _panes(shard, grid) if pane[0][: len(pick)] == pick]
    if not panes:
        return Block((), f"not in {pane_text(pick)}")
    shown = [_pane(index, part, shard, room) for index, part in panes[: room.panes]]
    return Block(tuple(pane for pane, _ in shown), _note(sum(n for _, n in shown), shard))


def _panes(shard: Shard, grid: np.ndarray) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """(leading indices in the whole array, two-dimensional grid) for each pane there is."""
    grid = grid.reshape((1,) * (2 - grid.ndim) + grid.shape)
    starts = [start for start, _ in shard.index[:-2]]
    leading = product(*(range(size) for size in grid.shape[:-2]))
    return [(tuple(map(sum, zip(starts, at, strict=True))), grid[at]) for at in leading]


def _pane(
    index: tuple[int, ...], grid: np.ndarray, shard: Shard, room: Room
) -> tuple[Pane, int]:
    sizes = ((1, 1, *shard.shape)[-2:], (room.rows, room.columns))
    rows, columns = (
        _kept(have, full, most) for have, full, most in zip(grid.shape, *sizes, strict=True)
    )
    cells = tuple(tuple(_cell(grid, row, column) for column in columns) for row in rows)
    shown = sum(row is not None for row in rows) * sum(c is not None for c in columns)
    return Pane(pane_text(index) if index else "", cells), shown


def pane_text(index: tuple[int, ...]) -> str:
    """Leading indices as they are written before a pane: ``"[1, 0, …]"``."""
    return "[" + "".join(f"{at}, " for at in index) + "…]"


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
    return "" if shown == total else f"{shown:,} of {total:,} shown"
