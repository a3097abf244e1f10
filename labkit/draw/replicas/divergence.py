"""Where copies that differ go: a row for each value that descends from them, a column a device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from labkit.draw.frame import MARGIN, WIDTH, framed, own_below
from labkit.draw.items import label, labels, sentence, width
from labkit.draw.layout import Box, Node, column, padded, row
from labkit.draw.picture import Picture
from labkit.draw.svg import group, hatch, rect, text
from labkit.facts import Descent, Process, Trace, Value
from labkit.facts.labels import place_of
from labkit.text.divergence import copy_names, descent_text, verdict
from labkit.text.letters import COLOURS
from labkit.text.numbers import Writer, writer
from labkit.text.recording import equation
from labkit.text.words import count, short

ROWS, DEVICES, BESIDE = 14, 16, 168.0
INSIDE = WIDTH - 2 * MARGIN
MIXED = 6
"""The colour of what descends from several copies."""


@dataclass(frozen=True)
class DeviceCell:
    """One value on one device.

    Attributes:
        device: its label.
        mark: the copies it descends from; empty for none of them.
        value: its first elements.
        colour: number of the copy's colour.
        odd: whether it is hatched: not of the first copy alone.
    """

    device: str
    mark: str
    value: str
    colour: int = 0
    odd: bool = False


def descent(found: Descent, processes: Sequence[Process]) -> Picture:
    """Where copies that differ go in a recorded program.

    Args:
        found: which copies each value descends from.
        processes: in order.
    """
    words = descent_text(found)
    devices = [device.label for process in processes for device in process.devices][:DEVICES]
    colours = {name: n for n, name in enumerate(copy_names(found))}
    lines = [_origin(found, n, devices, colours) for n in range(len(found.origins))]
    loud = [t for t in found.traces if not t.step.quiet or t.value.name in found.results]
    chosen = _chosen(loud)
    lines += [_row(trace, devices, colours, found.results) for trace in chosen]
    left = len(loud) - len(chosen)
    head = [label(short(found.expression, 48), "name"), sentence(verdict(found), "words", INSIDE)]
    more = labels([f"… {count(left, 'more value')} in the text form"] * (left > 0), "note")
    body = column([*head, *[_heads(devices)] * bool(lines), *lines, *more], 6)
    return framed(body, found.why, words, own_below(_paint), WIDTH)


def _chosen(traces: Sequence[Trace]) -> list[Trace]:
    """The first few, where copies are brought together, and the last."""
    if len(traces) <= ROWS:
        return list(traces)
    last = set(range(len(traces) - 4, len(traces)))
    mixed = [n for n, trace in enumerate(traces) if trace.mixed and n not in last]
    keep = last | set(mixed[: ROWS - 6])
    first = [n for n in range(len(traces)) if n not in keep]
    return [traces[n] for n in sorted(keep | set(first[: ROWS - len(keep)]))]


def _origin(found: Descent, number: int, devices: Sequence[str], colours: Mapping) -> Node:
    origin = found.origins[number]
    told = "an argument" if origin.step < 0 else f"made in step {origin.step}"
    head = [label(short(origin.value.name, 20), "code"), label(f"{told}: copies differ", "alarm")]
    return _line(head, origin.value, origin.versions, devices, colours)


def _row(
    trace: Trace, devices: Sequence[str], colours: Mapping[str, int], results: Sequence[str]
) -> Node:
    head = [label(short(_equation(trace), 24), "code")]
    head += labels(["a result"] * (trace.value.name in results), "note")
    head += [label(line, "alarm") for line in _alarms(trace)]
    return _line(head, trace.value, trace.versions, devices, colours)


def _equation(trace: Trace) -> str:
    return equation(replace(trace.step, gives=(trace.value,)))


def _alarms(trace: Trace) -> Iterator[str]:
    if trace.mixed:
        yield "brings copies together"
    if trace.hidden:
        alone = all(len(of) == 1 for of in trace.versions.values())
        yield "no second copy shows it" if alone else "its copies agree"


def _line(
    head: Sequence[Node],
    value: Value,
    versions: Mapping[str, tuple[str, ...]],
    devices: Sequence[str],
    colours: Mapping[str, int],
) -> Node:
    wide, texts = _wide(devices), _firsts(value)
    cells = []
    for device in devices:
        of = versions.get(device, ())
        shown = next((t for t in texts.get(device, ()) if width(t, "small") < wide - 4), "")
        colour = MIXED if len(of) > 1 else colours[of[0]] % COLOURS if of else 0
        mark = " ".join(of) if width(" ".join(of), "code") < wide - 4 else "+" * (len(of) > 1)
        odd = len(of) > 1 or (bool(of) and "′" in of[0])
        cells.append(Node(wide, 40, DeviceCell(device, mark, shown, colour, odd)))
    told = column(head, 1)
    return row([Node(BESIDE, max(told.h, 40), None, ((0, 4, told),)), row(cells, 4)], 4, 0)


def _firsts(value: Value) -> dict[str, list[str]]:
    """Device label → its first elements, two or one, as there is room."""
    if value.dtype.startswith("key<"):
        return {}
    write = writer(list(value.held.values()), value.dtype, 4)
    return {d: [_first(np.asarray(h), write, n) for n in (2, 1)] for d, h in value.held.items()}


def _first(held: np.ndarray, write: Writer, number: int) -> str:
    shown = " ".join(write(each) for each in held.reshape(-1)[:number])
    return shown + " …" * (held.size > number)


def _wide(devices: Sequence[str]) -> float:
    return min(92.0, (INSIDE - BESIDE - 4) / max(len(devices), 1) - 4)


def _heads(devices: Sequence[str]) -> Node:
    wide = _wide(devices)
    names = [d if width(d, "small") < wide else place_of(d) for d in devices]
    nodes = [padded(label(name, "small"), 0, 0, 0, 0) for name in names]
    spread = [Node(wide, node.h, None, (((wide - node.w) / 2, 0, node),)) for node in nodes]
    return row([Node(BESIDE, 14), row(spread, 4)], 4)


def _paint(item: object, box: Box) -> str:
    return "".join(_marks(item, box)) if isinstance(item, DeviceCell) else ""


def _marks(cell: DeviceCell, box: Box) -> Iterator[str]:
    parts = [rect(box, "lk-face", 5), hatch(box, "lk-hatch") if cell.odd else ""]
    if cell.mark:
        wide = width(cell.mark, "code") + 8
        chip = Box(box.cx - wide / 2, box.y + 3, wide, 17)
        parts += [rect(chip, "lk-chip", 5)]
        parts += [text(chip.cx, chip.cy, cell.mark, "lk-letter", "middle")]
    y = box.bottom - 11 if cell.mark else box.cy
    parts.append(text(box.cx, y, cell.value, "lk-small", "middle"))
    colour = f"lk-c{cell.colour}" if cell.mark else "lk-empty"
    title = f"{cell.device}: {cell.value}" + f", from {cell.mark}" * bool(cell.mark)
    yield group(f"lk-device {colour}", "".join(parts), title, device=cell.device)
