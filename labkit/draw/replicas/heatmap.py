"""The block around a difference: every element of every copy, darker where further apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labkit.draw.items import Label, label, labels, sentence, width
from labkit.draw.layout import Box, Node, column, padded, row
from labkit.draw.svg import group, rect, text
from labkit.facts import Copies, Leaf
from labkit.facts.differences import differences
from labkit.text.numbers import writer

LEVELS = 4
LINE, SHOWN, BESIDE = 14.0, 3, 34.0


@dataclass(frozen=True)
class HeatCell:
    """One element.

    Attributes:
        lines: one for each group, or one alone where all are equal.
        level: 0 where they are equal, to ``LEVELS`` where they are furthest apart.
        title: all of it in words, for the pointer.
    """

    lines: tuple[str, ...]
    level: int
    title: str


def heat(leaf: Leaf, copies: Copies, names: Sequence[str]) -> Node:
    """The block as cells with their indices beside, and how to read it.

    Args:
        leaf: whose copies they are.
        copies: with values.
        names: a mark for each group.
    """
    values = [_flat(value, len(copies.index)) for value in copies.values]
    cells = _cells(values, copies, leaf.dtype, names)
    lines = [line for r in cells for cell in r for line in cell.lines]
    wide = max(34, *(width(line, "small") + 10 for line in lines))
    top, left = (0, 0, *copies.corner)[-2:]
    head = row([_tick(str(left + c), wide) for c in range(len(cells[0]))], 2)
    rows = [_row(line, str(top + r), wide) for r, line in enumerate(cells)]
    aside = rows[0].w - head.w
    body = [column([padded(head, aside, 0, 0, 0), *rows], 2), *_legend(copies, names)]
    return column(body, 4)


def paint_cell(cell: HeatCell, box: Box) -> str:
    """The SVG of one element."""
    kind = "lk-small lk-inside" if cell.level else "lk-small"
    y = box.cy - (len(cell.lines) - 1) * LINE / 2
    parts = [rect(box, f"lk-heat lk-heat{cell.level}", 3)]
    for number, line in enumerate(cell.lines):
        parts.append(text(box.cx, y + number * LINE, line, kind, "middle"))
    return group("lk-element", "".join(parts), cell.title)


def _flat(value: np.ndarray, dimensions: int) -> np.ndarray:
    """Rows and columns; the words of a PRNG key stay together."""
    rows, columns = (1, 1, *value.shape[:dimensions])[-2:]
    return value.reshape(rows, columns, *value.shape[dimensions:])


def _cells(
    values: Sequence[np.ndarray], copies: Copies, dtype: str, names: Sequence[str]
) -> list[list[HeatCell]]:
    write = writer(values, dtype, 5)
    levels = _levels(values)
    return [
        [_cell([write(value[r, c]) for value in values], levels[r, c], names) for c in range(wide)]
        for r, wide in enumerate([levels.shape[1]] * levels.shape[0])
    ]


def _cell(texts: Sequence[str], level: int, names: Sequence[str]) -> HeatCell:
    told = "\n".join(f"{name}: {each}" for name, each in zip(names, texts, strict=False))
    return HeatCell(tuple(texts[:SHOWN]) if level else (texts[0],), int(level), told)


def _levels(values: Sequence[np.ndarray]) -> np.ndarray:
    """How far apart each element is, in steps; what is no number is all or nothing."""
    rows, columns = values[0].shape[:2]
    unlike = np.zeros((rows, columns), bool)
    far = np.zeros((rows, columns))
    for other in values[1:]:
        unlike |= _bytes(values[0]) != _bytes(other)
        far = np.maximum(far, _apart(values[0], other))
    most = np.max(far[np.isfinite(far)], initial=0)
    steps = np.ceil(LEVELS * far / most) if most else np.where(np.isfinite(far), 1, LEVELS)
    return np.where(unlike, np.clip(np.nan_to_num(steps, posinf=LEVELS), 1, LEVELS), 0).astype(int)


def _bytes(value: np.ndarray) -> np.ndarray:
    """Each element's bytes as one thing to compare."""
    flat = np.ascontiguousarray(value).view(np.uint8).reshape(*value.shape[:2], -1)
    return flat.view(f"V{flat.shape[-1]}")[..., 0]


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Absolute differences; infinite for a NaN against a number, and where there are no numbers."""
    if one.ndim > 2 or one.dtype.kind not in "iufcV":
        return np.full(one.shape[:2], np.inf)
    found = differences(one, other)
    return np.where(np.isnan(found), np.inf, found)


def _tick(line: str, wide: float) -> Node:
    one = label(line, "small")
    return Node(wide, one.h, None, (((wide - one.w) / 2, 0.0, one),))


def _row(cells: Sequence[HeatCell], index: str, wide: float) -> Node:
    high = max(len(cell.lines) for cell in cells) * LINE + 6
    nodes = [Node(wide, high, cell) for cell in cells]
    number = Node(width(index, "small"), high, Label(index, "small"))
    beside = Node(BESIDE, high, None, ((BESIDE - number.w - 4, 0.0, number),))
    return row([beside, *nodes], 2)


def _legend(copies: Copies, names: Sequence[str]) -> list[Node]:
    shown = ", ".join(names[: min(len(copies.values), SHOWN)])
    told = f"in each coloured cell, from the top: {shown}. Darker is further apart; plain is equal."
    lead = "".join(f"{index}, " for index in copies.corner[:-2])
    return [*labels([f"[{lead}…, …]"] * bool(lead), "small"), sentence(told, "note", 460)]
