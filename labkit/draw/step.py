"""One recorded operation: what every device reads, what it gives, and who exchanges with whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from labkit.draw.arrange import Columns, arrangements, clear, local
from labkit.draw.boxes import Box, Node, column, grid, padded, placed
from labkit.draw.flows import flows, zone_height
from labkit.draw.heading import Word, heading, word_marks
from labkit.draw.items import ProcessBox, label, sentence
from labkit.draw.marks import at
from labkit.draw.outlines import EDGE, Places, margins, outlines
from labkit.draw.paint import ORDER, paint
from labkit.draw.picture import Picture, canvas
from labkit.draw.reads_gives import Look, column_marks, look_of
from labkit.draw.step_text import step_text
from labkit.draw.tiles import Tile, panels, tile_marks
from labkit.facts import Exchange, Mesh, Process, Step

MARGIN, PADDING = 8.0, 9.0

ACROSS = 4
"""Devices side by side; with more their values would have no room."""

TALL = 2
"""Rows of process boxes, where that many will do."""

BETWEEN = 11.0
"""Pixels between two columns; lines to other rows run there."""

WIDEST = 150.0
"""Pixels: a column needs no more."""

TILES = 16
"""So many devices are tiles, with a panel for each value."""

NOBODY = Exchange("")

DOTTED = "dotted: who exchanges with whom; the way of the bytes in between is not known"


@dataclass(frozen=True)
class Stand:
    """Where the devices stand: the same in all steps of a recording, so that stepping is calm.

    Attributes:
        processes: in order.
        meshes: drawn around them; one a process where each has a mesh of its own.
        across: devices in a row of each box, boxes in a row.
        w: width of a device's column.
    """

    processes: tuple[Process, ...]
    meshes: tuple[Mesh, ...]
    across: Columns
    w: float

    @property
    def clear(self) -> bool:
        """Whether every device stands where it stands in its mesh."""
        return all(clear(mesh, self.processes, self.across) for mesh in self.meshes)

    @property
    def inside(self) -> bool:
        """Whether outlines run inside the process boxes, not around them."""
        return _inside(self.meshes, self.processes)


@dataclass(frozen=True)
class Spot:
    """The place of a device's column."""

    device: str


def step(
    step: Step, processes: Sequence[Process], width: float = 600.0, apart: bool = True
) -> Picture:
    """A recorded operation on every device of every process.

    Args:
        step: what was recorded.
        processes: all processes, in order.
        width: the most it may be wide, in pixels.
        apart: whether each device works for itself, as far as no exchange is told; then an arrow
            leads from what it reads to what it gives.
    """
    most = width - 2 * MARGIN
    if sum(len(process.devices) for process in processes) >= TILES:
        return _picture(step, panels(step, processes, most), most)
    stand = _stand(_meshes(step, processes), processes, most)
    flat = _spots(_body(stand, 1.0))
    look = look_of(step, stand.w, zone_height(step.exchange, flat), apart)
    return _picture(step, _body(stand, look.h), most, stand, look)


def _meshes(step: Step, processes: Sequence[Process]) -> tuple[Mesh, ...]:
    """The mesh of a step; where it is a process's own, also those of the others that took part."""
    mesh = step.mesh
    if mesh is None or not local(mesh):
        return (mesh,) if mesh else ()
    taking = {device for value in (*step.reads, *step.gives) for device in value.held}
    taking |= {device for group in (step.exchange or NOBODY).groups for device in group}
    places = [label.partition("·")[2] for label in mesh.devices]
    each = (tuple(f"p{process.index}·{place}" for place in places) for process in processes)
    return tuple(replace(mesh, devices=devices) for devices in each if set(devices) <= taking)


def _inside(meshes: Sequence[Mesh], processes: Sequence[Process]) -> bool:
    """A process's own mesh is drawn in its box, and so is one that leaves out devices."""
    labels = {device.label for process in processes for device in process.devices}
    return any(local(mesh) or set(mesh.devices) != labels for mesh in meshes)


def _stand(meshes: tuple[Mesh, ...], processes: Sequence[Process], most: float) -> Stand:
    tries = list(arrangements(meshes, processes))
    fit = [pair for pair in tries if pair[0] * pair[1] <= ACROSS] or tries[-1:]
    low = [(wide, boxes) for wide, boxes in fit if -(-len(processes) // boxes) <= TALL]
    across, boxes = (low or [max(fit, key=lambda pair: pair[0] * pair[1])])[0]
    edges = (2 * EDGE + 16) * (boxes if _inside(meshes, processes) else bool(meshes))
    room = most - edges - boxes * 2 * PADDING - (boxes - 1) * 12 - boxes * (across - 1) * BETWEEN
    w = min(int(room / (across * boxes)), WIDEST)
    return Stand(tuple(processes), meshes, (across, boxes), w)


def _body(stand: Stand, h: float) -> Node:
    """The process boxes with a place for each device's column."""
    boxes = []
    for process in stand.processes:
        spots = [Node(stand.w, h, Spot(device.label)) for device in process.devices]
        devices = grid(spots, stand.across[0], BETWEEN, 8)
        devices = margins(devices, stand.meshes[:1], stand.clear) if stand.inside else devices
        inside = column([label(f"process {process.index}", "head"), devices], 3)
        boxes.append(padded(inside, PADDING, 7, PADDING, PADDING, ProcessBox(process.index)))
    body = grid(boxes, stand.across[1], 12, 10)
    return body if stand.inside else margins(body, stand.meshes, stand.clear)


def _spots(body: Node) -> dict[str, Box]:
    return {item.device: box for item, box in placed(body) if isinstance(item, Spot)}


def _picture(
    step: Step, body: Node, most: float, stand: Stand | None = None, look: Look | None = None
) -> Picture:
    dotted = look is not None and step.exchange is not None
    notes = [sentence(DOTTED, "note", most)] * bool(dotted)
    whole = padded(column([heading(step, most), body, *notes], 8), *[MARGIN] * 4)
    items = list(placed(whole))
    if stand:
        found = dict.fromkeys(stand.meshes, ())
        items += outlines(found, _places(items), stand.clear, 0)
    marks = paint([(item, box) for item, box in items if isinstance(item, ORDER)])
    marks += "".join(_own(item, box, look) for item, box in items)
    if look and step.exchange:
        marks += flows(step.exchange, _zones(items, look))
    words = step_text(step)
    return Picture(canvas(most + 2 * MARGIN, whole.h, words, marks), words)


def _places(items: Sequence[tuple[object, Box]]) -> Places:
    return Places(
        {item.device: box for item, box in items if isinstance(item, Spot)},
        {item.index: box for item, box in items if isinstance(item, ProcessBox)},
    )


def _own(item: object, box: Box, look: Look | None) -> str:
    match item:
        case Word():
            return word_marks(item, box)
        case Tile():
            return tile_marks(item, box)
        case Spot():
            css = "lk-device" + " lk-skipped" * (item.device in look.step.skipped)
            return at(box.x, box.y, css, column_marks(look, item.device), device=item.device)
    return ""


def _zones(items: Sequence[tuple[object, Box]], look: Look) -> dict[str, Box]:
    """The room between operands and results, device by device."""
    top, bottom = look.zone
    return {
        item.device: Box(box.x, box.y + top, box.w, bottom - top)
        for item, box in items
        if isinstance(item, Spot)
    }
