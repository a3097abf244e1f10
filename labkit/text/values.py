"""The values of a shard as a bounded block of short texts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from labkit.facts import Array, Shard
from labkit.text.numbers import Writer, writer

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
    known = [np.asarray(shard.value) for shard in array.shards if shard.value is not None]
    write = writer(known, array.dtype, room.digits)
    return {shard.device: _block(shard, write, room, pick) for shard in array.shards}


def _block(shard: Shard, write: Writer, room: Room, pick: tuple[int, ...]) -> Block:
    if shard.value is None:
        return Block((), "value not shown")
    if prod(shard.shape) == 0:
        return Block((), "no elements")
    panes = [pane for pane in _panes(shard) if pane[0][: len(pick)] == pick]
    if not panes:
        return Block((), f"not in {pane_text(pick)}")
    made = [_pane(index, grid, shard, room, write) for index, grid in panes[: room.panes]]
    return Block(tuple(pane for pane, _ in made), _note(sum(n for _, n in made), shard))


def _panes(shard: Shard) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """(leading indices in the whole array, two-dimensional grid) for each pane there is.

    The grid of PRNG keys has their data as a last dimension: an element is all of a key's words.
    """
    value, missing = np.asarray(shard.value), max(2 - len(shard.shape), 0)
    value = value.reshape((1,) * missing + value.shape)
    starts = [start for start, _ in shard.index[:-2]]
    leading = product(*(range(size) for size in value.shape[: len(starts)]))
    return [(tuple(map(sum, zip(starts, at, strict=True))), value[at]) for at in leading]


def _pane(
    index: tuple[int, ...], grid: np.ndarray, shard: Shard, room: Room, write: Writer
) -> tuple[Pane, int]:
    """The pane, and how many elements it shows."""
    rows, columns = (
        _kept(have, full, most)
        for have, full, most in zip(
            grid.shape[:2], (1, 1, *shard.shape)[-2:], (room.rows, room.columns), strict=True
        )
    )
    cells = tuple(tuple(_cell(grid, r, c, write) for c in columns) for r in rows)
    shown = sum(r is not None and c is not None for r in rows for c in columns)
    return Pane(pane_text(index) if index else "", cells), shown


def _cell(grid: np.ndarray, row: int | None, column: int | None, write: Writer) -> str:
    if row is None:
        return "⋮"
    return "…" if column is None else write(grid[row, column])


def pane_text(index: tuple[int, ...]) -> str:
    """Leading indices as they are written before a pane: ``"[1, 0, …]"``."""
    return "[" + "".join(f"{at}, " for at in index) + "…]"


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
