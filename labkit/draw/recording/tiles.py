"""A step on many devices: a panel of tiles for each value, in place of a column a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labkit.draw.items import SIZES, TILE, label, sentence, width
from labkit.draw.layout import Box, Node, column, flow, grid, row
from labkit.draw.recording.heading import Word
from labkit.draw.recording.previews import previews
from labkit.draw.svg import at, rect, text
from labkit.facts import Process, Step, Value
from labkit.facts.labels import place_of, process_label
from labkit.text.letters import COLOURS, Letters, alike, letter
from labkit.text.recording import NAMED, group_lines

ROW = 16
"""Tiles side by side, at the most."""

LISTED = 4
"""Groups written out."""


@dataclass(frozen=True)
class Tile:
    """What one device holds of one value.

    Attributes:
        device: its label.
        value: the value's name.
        number: of its letter; -1 where the device holds nothing or did not run.
        first: its first element, where there is room for it.
    """

    device: str
    value: str
    number: int
    first: str = ""


def panels(step: Step, processes: Sequence[Process], most: float) -> Node:
    """One panel a value, operands first, and who exchanges with whom in words."""
    letters = alike(step)
    reads = [_panel(value, step, processes, letters) for value in step.reads[:NAMED]]
    gives = [_panel(value, step, processes, letters) for value in step.gives[:NAMED]]
    if reads and gives:
        gives[0] = row([label("→", "name"), gives[0]], 10, 0.5)
    lines = list(group_lines(step.collective)) if step.collective else []
    lines = lines[:LISTED] + [f"… {len(lines) - LISTED} more"] * (len(lines) > LISTED)
    told = [sentence(line, "note", most) for line in lines]
    return column([flow([*reads, *gives], most, 16, 0), column(told, 2)], 8)


def _panel(value: Value, step: Step, processes: Sequence[Process], letters: Letters) -> Node:
    firsts = _firsts(value)
    name = Node(width(value.name, "name"), SIZES["name"] * 1.35, Word(value.name, value.name))
    rows = [_row(process, value, letters, firsts) for process in processes]
    return column([name, column(rows, 4)], 4)


def _firsts(value: Value) -> dict[str, str]:
    """Each device's first element; nothing if one of them has no room in a tile."""
    shown = previews(value, TILE * 2, kind="tile")
    firsts = {device: (" ".join(lines).split() or [""])[0] for device, lines in shown.items()}
    wide = any(width(first, "tile") > TILE - 4 for first in firsts.values())
    return {} if wide or len(value.shape) > 2 else firsts


def _row(process: Process, value: Value, letters: Letters, firsts: dict[str, str]) -> Node:
    tiles = [
        Node(TILE, TILE, Tile(label, value.name, number, firsts.get(label, "") * (number >= 0)))
        for label in (device.label for device in process.devices)
        for number in [letters.get((value, label), -1)]
    ]
    name = Node(24, 15, label(process_label(process.index), "small").item)
    return row([name, grid(tiles, min(ROW, 8), 3, 3)], 4, 0.5)


def tile_marks(tile: Tile, box: Box) -> str:
    """A tile, drawn from its own corner."""
    own, known = Box(0, 0, box.w, box.h), tile.number >= 0
    name = letter(tile.number) if known else place_of(tile.device)
    parts = [rect(own, "lk-face", 5)]
    css = "lk-letter" if known else "lk-small"
    parts.append(text(own.cx, own.cy - 6 * bool(tile.first), name, css, "middle"))
    parts += [text(own.cx, own.cy + 9, tile.first, "lk-tile", "middle")] * bool(tile.first)
    colour = f"lk-tiled lk-c{tile.number % COLOURS}" if known else "lk-empty"
    data = {"device": tile.device, "value": tile.value}
    return at(box.x, box.y, f"lk-device {colour}", "".join(parts), **data, slice=name * known)
