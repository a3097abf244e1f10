"""What ways of loading have read and how long they took: a line each, a bar for the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labkit.draw.boxes import Box, Node, column, row
from labkit.draw.clock import duration
from labkit.draw.compose import MARGIN, WIDTH
from labkit.draw.items import label, width
from labkit.draw.marks import rect
from labkit.draw.picture import Picture
from labkit.draw.sheet import sheet
from labkit.draw.words import count
from labkit.facts import Load

HIGH = 16.0


@dataclass(frozen=True)
class Bar:
    """How much of the longest bar this one is, 0 to 1, and whether it is the one just run."""

    part: float
    new: bool


def costs(lines: Sequence[Load], most: float = WIDTH) -> Picture:
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
    return sheet(column(rows, 6), "", text, _paint, most)


def _row(line: Load, left: float, long: float, top: int, new: bool) -> Node:
    name = label(line.who, "head" if new else "words")
    bar = Node(long, HIGH, Bar(line.nbytes / max(top, 1), new))
    told = label(_told(line), "note")
    return row([Node(left, HIGH, None, ((0, 0, name),)), bar, Node(8, HIGH), told], 0, 0.5)


def _told(line: Load) -> str:
    time = f", {duration(1e9 * line.seconds)}" if line.seconds else ""
    return count(line.nbytes, "byte") + time


def _paint(item: object, box: Box) -> str:
    filled = Box(box.x, box.y, max(box.w * item.part, 2), box.h)
    css = "lk-chip" if item.new else "lk-work"
    return f'<g class="lk-c1">{rect(filled, css, 3)}</g>'
