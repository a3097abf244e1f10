"""The values of a step as a few short lines, no wider than a device's place in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from textwrap import wrap

from labkit.draw.items import width
from labkit.facts import Value
from labkit.text.arrays import block_lines
from labkit.text.recording import as_array
from labkit.text.values import Room, blocks
from labkit.text.words import short

LINES = 4
"""So many lines of a value are shown: three rows, and above 2-D where they stand."""

Lines = dict[str, tuple[str, ...]]
"""Device label → lines."""


def previews(value: Value, most: float, rows: int = 3, kind: str = "code") -> Lines:
    """As much of the value on each device as fits into ``most`` pixels, alike on all devices.

    What is left out is a ``…`` in its place.

    Args:
        value: what was recorded of it.
        most: the most a line may be wide.
        rows: the most rows of a matrix.
        kind: of the text, a key of :data:`labkit.draw.items.SIZES`.
    """
    return _previews(value, int(most / width("x", kind)), rows)


@lru_cache(maxsize=4096)  # a value is drawn in the step that makes it and in all that read it
def _previews(value: Value, letters: int, rows: int) -> Lines:
    for digits in (5, 3):
        found, columns = _written(value, letters, Room(rows, 16, 1, digits)), 16
        if not _fits(letters, found):
            words = (word for lines in found.values() for word in " ".join(lines).split())
            # where some are left out, one column is only as wide as its "…"
            columns = max((letters - 1) // (max(map(len, words), default=1) + 1) + 1, 2)
            found = _written(value, letters, Room(rows, columns, 1, digits))
        if columns > 2 and _fits(letters, found):
            return found
    return {d: tuple(short(line, letters) for line in lines) for d, lines in found.items()}


def _fits(letters: int, found: Lines) -> bool:
    return all(
        len(lines) <= LINES and all(len(line) <= letters for line in lines)
        for lines in found.values()
    )


def _written(value: Value, letters: int, room: Room) -> Lines:
    found = blocks(as_array(value), room)
    lines = {device: tuple(block_lines(replace(b, note=""))) for device, b in found.items()}
    if len(value.shape) != 1:
        return lines
    return {device: _wrapped(row, letters) for device, row in lines.items()}


def _wrapped(lines: Sequence[str], letters: int) -> tuple[str, ...]:
    """A row of elements in several lines, in brackets so that it is not taken for a matrix."""
    if all(len(line) <= letters for line in lines):
        return tuple(lines)
    return tuple(wrap(f"[{' '.join(lines)}]", letters, subsequent_indent=" "))
