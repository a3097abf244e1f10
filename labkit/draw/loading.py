"""Rows of a data set: a line for each process or device, a cell for each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labkit.draw.frame import MARGIN, WIDTH, framed, own_below
from labkit.draw.items import label, width
from labkit.draw.layout import Box, Node, column, row
from labkit.draw.picture import Picture
from labkit.draw.svg import group, n, rect, strokes, text
from labkit.facts import RowsRead
from labkit.text.durations import duration
from labkit.text.letters import COLOURS, letter
from labkit.text.loading import cost_words, load_text
from labkit.text.words import count

HIGH, WIDEST, GAP = 24.0, 42.0, 3.0
"""Pixels: a line's height, the widest cell, between cells."""


@dataclass(frozen=True)
class RowCell:
    """One row in one line: how often it is there, and the slice it belongs to."""

    number: int
    times: int
    slice: int


@dataclass(frozen=True, eq=False)
class Image:
    """A row drawn as a small grey picture."""

    pixels: np.ndarray


def load(
    lines: Sequence[RowsRead],
    slices: Sequence[int],
    images: Sequence[np.ndarray] = (),
    why: str = "",
    most: float = WIDTH,
) -> Picture:
    """Which rows each process read, or each device holds.

    Args:
        lines: one line each.
        slices: row of the data set → number of the slice of the batch it belongs to.
        images: row → its pixels from 0 to 1, where the rows are pictures.
        why: why no number may be trusted; empty when they may.
        most: the most it may be wide, in pixels.
    """
    left = max(width(line.who, "small") for line in lines) + 14
    right = max(width("  " + cost_words(line), "note") for line in lines)
    cell = min((most - 2 * MARGIN - left - right - GAP) / len(slices) - GAP, WIDEST)
    body = column([_head(left, cell, slices, images), *_lines(lines, slices, left, cell)], 5)
    return framed(body, why, load_text(lines), own_below(_paint), most)


def _head(left: float, cell: float, slices: Sequence[int], images: Sequence[np.ndarray]) -> Node:
    numbers = [_middle(str(number), "note", cell) for number in range(len(slices))]
    rows = [row([_wide("row", "note", left), *numbers], GAP)]
    if images:
        side = min(cell, 32)
        shown = [Node(cell, side, Image(pixels)) for pixels in images[: len(slices)]]
        rows.insert(0, row([Node(left, side), *shown], GAP))
    return column(rows, 2)


def _lines(
    lines: Sequence[RowsRead], slices: Sequence[int], left: float, cell: float
) -> list[Node]:
    found = []
    for line in lines:
        times = Counter(line.rows)
        cells = [Node(cell, HIGH, RowCell(r, times[r], s)) for r, s in enumerate(slices)]
        name, cost = _wide(line.who, "small", left), label("  " + cost_words(line), "note")
        found.append(row([name, *cells, cost], GAP, 0.5))
    return found


def _wide(words: str, kind: str, wide: float) -> Node:
    return Node(wide, label(words, kind).h, None, ((0, 0, label(words, kind)),))


def _middle(words: str, kind: str, wide: float) -> Node:
    inner = label(words, kind)
    return Node(wide, inner.h, None, (((wide - inner.w) / 2, 0, inner),))


def _paint(item: object, box: Box) -> str:
    if isinstance(item, Image):
        return _image(item, box)
    if not item.times:
        return rect(box.grown(-0.5), "lk-rest", 4)
    name = letter(item.slice)
    times = f"{item.times}×" if item.times > 1 else name
    shown = next((t for t in (times, name) if width(t, "code") < box.w), "")
    body = rect(box, "lk-chip", 4) + text(box.cx, box.cy, shown, "lk-letter", "middle")
    title = f"row {item.number}, of slice {name}" + f", {item.times} times" * (item.times > 1)
    return group(f"lk-slice lk-c{item.slice % COLOURS}", body, title, slice=name)


def _image(item: Image, box: Box) -> str:
    """Three layers, each of the pixels that are darker than its threshold."""
    high, wide = item.pixels.shape
    side = min(box.w, box.h)
    dot, x, y = side / wide, box.cx - side / 2, box.y
    layers = []
    for threshold in (0.25, 0.5, 0.75):
        spots = np.argwhere(item.pixels > threshold)
        steps = (
            f"M{n(x + c * dot)} {n(y + r * dot)}h{n(dot)}v{n(dot)}h-{n(dot)}z" for r, c in spots
        )
        layers.append(strokes(steps, "lk-pixel"))
    return rect(Box(x, y, side, side * high / wide), "lk-box", 2) + "".join(layers)


BAR_HIGH = 16.0


@dataclass(frozen=True)
class CostBar:
    """How much of the longest bar this one is, 0 to 1, and whether it is the one just run."""

    part: float
    new: bool


def costs(lines: Sequence[RowsRead], most: float = WIDTH) -> Picture:
    """Bytes read by all processes together, and the time of the slowest.

    Args:
        lines: a way each, the one that has just run last.
        most: the most it may be wide, in pixels.
    """
    left = max(width(line.who, "head") for line in lines) + 12
    right = max(width(_told(line), "note") for line in lines) + 8
    long, top = most - 2 * MARGIN - left - right, max(line.nbytes for line in lines)
    rows = [_row(line, left, long, top, line is lines[-1]) for line in lines]
    text = "\n".join(f"{line.who}: {_told(line)}" for line in lines)
    return framed(column(rows, 6), "", text, own_below(_paint_bar), most)


def _row(line: RowsRead, left: float, long: float, top: int, new: bool) -> Node:
    name = label(line.who, "head" if new else "words")
    bar = Node(long, BAR_HIGH, CostBar(line.nbytes / max(top, 1), new))
    told = label(_told(line), "note")
    return row([Node(left, BAR_HIGH, None, ((0, 0, name),)), bar, Node(8, BAR_HIGH), told], 0, 0.5)


def _told(line: RowsRead) -> str:
    time = f", {duration(1e9 * line.seconds)}" if line.seconds else ""
    return count(line.nbytes, "byte") + time


def _paint_bar(item: object, box: Box) -> str:
    filled = Box(box.x, box.y, max(box.w * item.part, 2), box.h)
    css = "lk-chip" if item.new else "lk-work"
    return group("lk-c1", rect(filled, css, 3))
