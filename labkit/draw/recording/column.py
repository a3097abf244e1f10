"""What one device reads and gives in a step: a column of small cards, the same size everywhere.

Everything in a column is drawn from the column's own corner, so that equal columns are equal
text: a page with many steps stores each such text once.
"""

from __future__ import annotations

from collections.abc import Sequence

from labkit.draw.items import width
from labkit.draw.layout import Box
from labkit.draw.recording.column_layout import EDGE, HEAD, LABEL, ROW, ColumnLayout, Slot, name
from labkit.draw.svg import group, hatch, path, rect, text
from labkit.text.letters import COLOURS, PRIMES, letter

PRIMED = tuple(PRIMES[1:])
"""How the names of copies end that differ from the first."""


def column_marks(layout: ColumnLayout, device: str) -> str:
    """All that one device reads and gives."""
    skipped = device in layout.step.skipped
    parts = [text(2, LABEL / 2 - 1, device, "lk-small")]
    values = [slot.value for slot in (*layout.reads, *layout.gives)]
    if values and not any(device in value.held for value in values):
        return "".join(
            [*parts, text(layout.w / 2, layout.h / 2, "takes no part", "lk-note", "middle")]
        )
    parts += [_card(slot, layout, device) for slot in (*layout.reads, *layout.gives)]
    if skipped:
        parts.append(text(layout.w - 2, LABEL / 2 - 1, "did not run", "lk-note", "end"))
    elif layout.apart and layout.reads and layout.gives and not layout.step.collective:
        parts.append(arrow(layout.w / 2, layout.zone[0] + 4, layout.zone[1] - 2))
    return "".join(parts)


def _card(slot: Slot, layout: ColumnLayout, device: str) -> str:
    box = Box(0, slot.y, layout.w, slot.h)
    known = device in slot.value.held
    if device in layout.step.skipped or not known:
        return group("lk-empty", rect(box, "lk-face", 5) + _name(slot, 9))
    at = layout.letters[slot.value, device]
    chip = Box(EDGE - 1, slot.y + 3, width(letter(at), "code") + 7, HEAD - 6)
    marks = rect(box, "lk-face", 5) + rect(chip, "lk-chip", 4)
    marks += text(chip.cx, chip.cy, letter(at), "lk-letter", "middle")
    marks += _name(slot, chip.right + 4) + _values(slot, layout, slot.lines.get(device, ()))
    marks += _copies(slot, layout, device, box, chip.right + 4)
    # two groups: the inner one is the same text for whichever value
    inner = group(f"lk-held lk-c{at % COLOURS}", marks, slice=letter(at))
    return group("lk-of", inner, value=slot.value.name)


def _copies(slot: Slot, layout: ColumnLayout, device: str, box: Box, x: float) -> str:
    """Which of the copies that differ it descends from; hatched if not of the first alone."""
    copies = slot.value.descends.get(device, ())
    if not copies:
        return ""
    room = layout.w - EDGE - x - width(name(slot.value), "small") - 4
    mark = next((m for m in (" ".join(copies), "′") if width(m, "alarm") <= room), "")
    odd = len(copies) > 1 or copies[0].endswith(PRIMED)
    told = text(layout.w - EDGE, slot.y + HEAD / 2, mark, "lk-alarm", "end") if mark else ""
    return (hatch(box, "lk-hatch") if odd else "") + told


def _name(slot: Slot, x: float) -> str:
    return text(x, slot.y + HEAD / 2, name(slot.value), "lk-small")


def _values(slot: Slot, layout: ColumnLayout, lines: Sequence[str]) -> str:
    if not slot.rows:
        return "".join(
            text(layout.w - EDGE, slot.y + HEAD / 2, line, "lk-code", "end") for line in lines
        )
    return "".join(
        text(layout.w / 2, slot.y + HEAD + ROW * (row + 0.5), line, "lk-code", "middle")
        for row, line in enumerate(lines)
    )


def arrow(x: float, y: float, to: float) -> str:
    """A short arrow downwards."""
    return path([(x, y), (x, to - 4)], "lk-line") + head(x, to)


def head(x: float, y: float) -> str:
    """The head of an arrow that ends here, coming from above."""
    return path([(x - 4, y - 6), (x, y), (x + 4, y - 6)], "lk-tip")
