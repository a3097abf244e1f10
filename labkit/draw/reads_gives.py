"""What one device reads and gives in a step: a column of small cards, the same size everywhere.

Everything in a column is drawn from the column's own corner, so that equal columns are equal
text: a page with many steps stores each such text once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labkit.draw.alike import Letters, alike
from labkit.draw.boxes import Box
from labkit.draw.items import width
from labkit.draw.letters import COLOURS, PRIMES, letter
from labkit.draw.marks import group, hatch, path, rect, text
from labkit.draw.previews import Lines, previews
from labkit.draw.step_words import NAMED
from labkit.facts import Step, Value

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

PRIMED = tuple(PRIMES[1:])
"""How the names of copies end that differ from the first."""

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
class Look:
    """How the columns of a step look.

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


def look_of(step: Step, w: float, zone: float, apart: bool) -> Look:
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
    bottom = top + zone if reads or step.exchange else top
    return Look(
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


def column_marks(look: Look, device: str) -> str:
    """All that one device reads and gives."""
    skipped = device in look.step.skipped
    parts = [text(2, LABEL / 2 - 1, device, "lk-small")]
    values = [slot.value for slot in (*look.reads, *look.gives)]
    if values and not any(device in value.held for value in values):
        return "".join([*parts, text(look.w / 2, look.h / 2, "takes no part", "lk-note", "middle")])
    parts += [_card(slot, look, device) for slot in (*look.reads, *look.gives)]
    if skipped:
        parts.append(text(look.w - 2, LABEL / 2 - 1, "did not run", "lk-note", "end"))
    elif look.apart and look.reads and look.gives and not look.step.exchange:
        parts.append(arrow(look.w / 2, look.zone[0] + 4, look.zone[1] - 2))
    return "".join(parts)


def _card(slot: Slot, look: Look, device: str) -> str:
    box = Box(0, slot.y, look.w, slot.h)
    known = device in slot.value.held
    if device in look.step.skipped or not known:
        return group("lk-empty", rect(box, "lk-face", 5) + _name(slot, 9))
    at = look.letters[slot.value.name, device]
    chip = Box(EDGE - 1, slot.y + 3, width(letter(at), "code") + 7, HEAD - 6)
    marks = rect(box, "lk-face", 5) + rect(chip, "lk-chip", 4)
    marks += text(chip.cx, chip.cy, letter(at), "lk-letter", "middle")
    marks += _name(slot, chip.right + 4) + _values(slot, look, slot.lines.get(device, ()))
    marks += _copies(slot, look, device, box, chip.right + 4)
    # two groups: the inner one is the same text for whichever value
    inner = group(f"lk-held lk-c{at % COLOURS}", marks, slice=letter(at))
    return group("lk-of", inner, value=slot.value.name)


def _copies(slot: Slot, look: Look, device: str, box: Box, x: float) -> str:
    """Which of the copies that differ it descends from; hatched if not of the first alone."""
    copies = slot.value.descends.get(device, ())
    if not copies:
        return ""
    room = look.w - EDGE - x - width(name(slot.value), "small") - 4
    mark = next((m for m in (" ".join(copies), "′") if width(m, "alarm") <= room), "")
    odd = len(copies) > 1 or copies[0].endswith(PRIMED)
    told = text(look.w - EDGE, slot.y + HEAD / 2, mark, "lk-alarm", "end") if mark else ""
    return (hatch(box, "lk-hatch") if odd else "") + told


def _name(slot: Slot, x: float) -> str:
    return text(x, slot.y + HEAD / 2, name(slot.value), "lk-small")


def _values(slot: Slot, look: Look, lines: Sequence[str]) -> str:
    if not slot.rows:
        return "".join(
            text(look.w - EDGE, slot.y + HEAD / 2, line, "lk-code", "end") for line in lines
        )
    return "".join(
        text(look.w / 2, slot.y + HEAD + ROW * (row + 0.5), line, "lk-code", "middle")
        for row, line in enumerate(lines)
    )


def arrow(x: float, y: float, to: float) -> str:
    """A short arrow downwards."""
    return path([(x, y), (x, to - 4)], "lk-line") + head(x, to)


def head(x: float, y: float) -> str:
    """The head of an arrow that ends here, coming from above."""
    return path([(x - 4, y - 6), (x, y), (x + 4, y - 6)], "lk-tip")
