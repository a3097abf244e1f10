"""The array as a whole, cut into its lettered slices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from labkit.draw.items import Label, Piece, Rest, label, width
from labkit.draw.layout import Node, column, flow
from labkit.facts import Array, Slice
from labkit.text.letters import Cut
from labkit.text.words import slice_text

UNIT = 30.0
"""Pixels for one element, where there are few."""

PANES = 8
"""How many blocks of leading indices are drawn of an array above 2-D."""


def strip(array: Array, group: Sequence[Cut], most: float) -> Node:
    """The array as lettered pieces no wider than ``most``; above 2-D a few panes.

    The last dimension runs to the right, the one before it downwards.
    """
    blocks: dict[Slice, list[Cut]] = {}
    for cut in group:
        blocks.setdefault(cut.index[:-2], []).append(cut)
    if len(blocks) <= 1:
        return _pane(array, group, most)
    each = max(most / min(len(blocks), PANES) - 12, 40)
    panes = [_titled(array, head, blocks[head], each) for head in list(blocks)[:PANES]]
    more = [label(f"+{len(blocks) - PANES} more", "small")] if len(blocks) > PANES else []
    return flow([*panes, *more], most, 12)


def _titled(array: Array, head: Slice, cuts: Sequence[Cut], most: float) -> Node:
    title = slice_text(head, array.shape[:-2])[:-1] + ", …]"
    return column([label(title, "small"), _pane(array, cuts, most)], 2)


def _pane(array: Array, cuts: Sequence[Cut], most: float) -> Node:
    ends = [_edges(cuts, -2), _edges(cuts, -1)]
    left = max((width(str(at), "small") for at in ends[0]), default=0) + 4 if ends[0] else 0
    sizes = (1, 1, *array.shape)[-2:]
    w = _across(sizes[1], max(len(ends[1]) - 1, 1), most - left)
    h = _down(sizes[0], max(len(ends[0]) - 1, 1))
    missing = sum(prod(cut.shards[0].shape) for cut in cuts) < prod(array.shape)
    rest = [(left, 0.0, Node(w, h, Rest()))] if missing and len(array.shape) < 3 else []
    pieces = [(*_corner(cut, sizes, w, h, left), _piece(cut, sizes, w, h)) for cut in cuts]
    marks = _ticks(ends[1], sizes[1], w, left, h, across=True)
    marks += _ticks(ends[0], sizes[0], h, left, h, across=False)
    return Node(left + w, h + (18 if ends[1] else 2), None, tuple(rest + pieces + marks))


def _across(size: int, slices: int, most: float) -> float:
    """As wide as the devices under it where it is cut, else as its elements need."""
    wanted = max(size * UNIT, 34.0, slices * 76.0 if slices > 1 else 0)
    return most if wanted > 0.8 * most else wanted


def _down(size: int, slices: int) -> float:
    """Room for a letter in each slice, as long as they are few."""
    return min(max(size * 12.0, 20.0 * slices, 22.0), max(20.0 * slices, 48.0), 180.0)


def _edges(cuts: Sequence[Cut], dimension: int) -> list[int]:
    """Where slices begin and end along a dimension; nothing where there is none."""
    spans = [cut.index[dimension] for cut in cuts if len(cut.index) >= -dimension]
    return sorted({end for span in spans for end in span})


def _spans(cut: Cut) -> tuple[tuple[int, int], tuple[int, int]]:
    rows, columns = ((0, 1), (0, 1), *cut.index)[-2:]
    return rows, columns


def _corner(cut: Cut, sizes: Sequence[int], w: float, h: float, left: float) -> tuple:
    rows, columns = _spans(cut)
    return left + columns[0] / max(sizes[1], 1) * w, rows[0] / max(sizes[0], 1) * h


def _piece(cut: Cut, sizes: Sequence[int], w: float, h: float) -> Node:
    (top, bottom), (start, stop) = _spans(cut)
    wide = (stop - start) / max(sizes[1], 1) * w
    high = (bottom - top) / max(sizes[0], 1) * h
    return Node(wide, high, Piece(cut, bottom - top, stop - start))


def _ticks(
    ends: Sequence[int], size: int, length: float, left: float, h: float, across: bool
) -> list[tuple[float, float, Node]]:
    """Numbers at the edges of slices, as many as there is room for."""
    found, last = [], -1e9
    for end in ends:
        at, wide = end / max(size, 1) * length, width(str(end), "small")
        x = min(max(left + at - wide / 2, 0), left + length - wide) if across else left - 4 - wide
        begin = x if across else at
        if begin < last + 4:
            continue
        last = begin + (wide if across else 9)
        y = h + 3 if across else max(at - 7, -2)
        found.append((x, y, Node(wide, 14, Label(str(end), "small"))))
    return found
