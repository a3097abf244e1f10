"""Where the values of a step stand in a device's column: numbers, no marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labkit.draw.items import width
from labkit.draw.recording.previews import Lines, previews
from labkit.facts import Step, Value
from labkit.text.letters import Letters, alike
from labkit.text.recording import NAMED

LABEL = 15.0
"""Height of a device's label."""

HEAD = 19.0
"""Height of a card's first line: letter, name, and a value that is short enough."""

ROW = 15.0
"""Height of a further line."""

FEW = 3
"""More values than these have two lines each."""

LETTERS = 9
"""Of a name, as far as a card has room for it; the heading has all of it."""

GAP = 3.0
EDGE = 5.0


@dataclass(frozen=True)
class Slot:
    """The place of one value in every column.

    Attributes:
        value: what stands there.
        y: from the column's top.
        rows: lines of values under the first; 0 where the value stands beside its name.
        lines: device label → those lines.
    """

    value: Value
    y: float
    rows: int
    lines: Lines

    @property
    def h(self) -> float:
        """Height in pixels."""
        return HEAD + self.rows * ROW + (4 if self.rows else 0)


@dataclass(frozen=True, eq=False)
class ColumnLayout:
    """How the columns of a step layout.

    Attributes:
        step: what is drawn.
        w: width of a column.
        reads, gives: the values' places.
        zone: top and bottom of the room between operands and results.
        letters: of all values.
        apart: whether an arrow leads from each device's operands to its results.
    """

    step: Step
    w: float
    reads: tuple[Slot, ...]
    gives: tuple[Slot, ...]
    zone: tuple[float, float]
    letters: Letters
    apart: bool

    @property
    def h(self) -> float:
        """Height of a column."""
        return max(self.zone[1], *(slot.y + slot.h for slot in (*self.reads, *self.gives)), LABEL)


def column_layout(step: Step, w: float, zone: float, apart: bool) -> ColumnLayout:
    """The columns of a step.

    Args:
        step: what to draw.
        w: width of a column in pixels.
        zone: height of the room between operands and results.
        apart: whether each device works for itself.
    """
    values = (*step.reads[:NAMED], *step.gives[:NAMED])
    rows = 3 if len(values) <= FEW else 2
    reads = _slots(step.reads[:NAMED], LABEL, w, rows)
    top = reads[-1].y + reads[-1].h if reads else LABEL
    bottom = top + zone if reads or step.collective else top
    return ColumnLayout(
        step,
        w,
        reads,
        _slots(step.gives[:NAMED], bottom, w, rows),
        (top, bottom),
        alike(step),
        apart,
    )


def _slots(values: Sequence[Value], y: float, w: float, rows: int) -> tuple[Slot, ...]:
    found = []
    for value in values:
        found.append(_slot(value, y, w, rows))
        y += found[-1].h + GAP
    return tuple(found)


def _slot(value: Value, y: float, w: float, rows: int) -> Slot:
    lines = previews(value, w - 2 * EDGE, rows)
    taken = EDGE + 17 + width(name(value), "small") + 6
    longest = max((width(line, "code") for row in lines.values() for line in row), default=0)
    beside = taken + longest + EDGE <= w and all(len(row) <= 1 for row in lines.values())
    beside = beside and not value.descends  # a mark stands there
    return Slot(value, y, 0 if beside else max(map(len, lines.values()), default=0), lines)


def name(value: Value) -> str:
    """The value's name, short enough for a card."""
    if len(value.name) <= LETTERS:
        return value.name
    key = re.search(r"(\[[^\[\]]*\]|\.\w+)$", value.name)
    tail = key[0] if key and len(key[0]) < LETTERS else value.name[1 - LETTERS :]
    return f"…{tail}"
