"""One recorded operation: what every device reads, what it gives, and who exchanges with whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from labkit.draw.arrays.mesh_outlines import Places, outlines
from labkit.draw.frame import MARGIN, common, framed
from labkit.draw.items import ProcessBox, sentence
from labkit.draw.layout import Box, Node, Placed, column, placed
from labkit.draw.picture import Picture
from labkit.draw.recording.collective import flows, zone_height
from labkit.draw.recording.column import column_marks
from labkit.draw.recording.column_layout import ColumnLayout, column_layout
from labkit.draw.recording.device_grid import DeviceGrid, Spot, body, device_grid, spots
from labkit.draw.recording.heading import Word, heading, word_marks
from labkit.draw.recording.tiles import Tile, panels, tile_marks
from labkit.draw.svg import at
from labkit.facts import Process, Step
from labkit.text.recording import step_text

TILES = 16
"""So many devices are tiles, with a panel for each value."""

DOTTED = "dotted: who exchanges with whom; the way of the bytes in between is not known"


def step(
    step: Step, processes: Sequence[Process], width: float = 600.0, apart: bool = True
) -> Picture:
    """A recorded operation on every device of every process.

    Args:
        step: what was recorded.
        processes: all processes, in order.
        width: the most it may be wide, in pixels.
        apart: whether each device works for itself, as far as no collective is told; then an arrow
            leads from what it reads to what it gives.
    """
    most = width - 2 * MARGIN
    if sum(len(process.devices) for process in processes) >= TILES:
        return _picture(step, panels(step, processes, most), most)
    devices = device_grid(step, processes, most)
    flat = spots(placed(body(devices, 1.0)))
    layout = column_layout(step, devices.w, zone_height(step.collective, flat), apart)
    return _picture(step, body(devices, layout.h), most, devices, layout)


def _picture(
    step: Step,
    inner: Node,
    most: float,
    devices: DeviceGrid | None = None,
    layout: ColumnLayout | None = None,
) -> Picture:
    dotted = layout is not None and step.collective is not None
    notes = [sentence(DOTTED, "note", most)] * bool(dotted)
    whole = column([heading(step, most), inner, *notes], 8)
    marks = partial(_marks, step=step, devices=devices, layout=layout)
    # as wide in every step, so that stepping is calm
    return framed(replace(whole, w=most), "", step_text(step), marks)


def _marks(
    items: Sequence[Placed], step: Step, devices: DeviceGrid | None, layout: ColumnLayout | None
) -> str:
    if devices:
        found = dict.fromkeys(devices.meshes, ())
        items = [*items, *outlines(found, _places(items), devices.clear, 0)]
    marks = common(items) + "".join(_own(item, box, layout) for item, box in items)
    if layout and step.collective:
        marks += flows(step.collective, _zones(items, layout))
    return marks


def _places(items: Sequence[Placed]) -> Places:
    return Places(
        spots(items),
        {item.index: box for item, box in items if isinstance(item, ProcessBox)},
    )


def _own(item: object, box: Box, layout: ColumnLayout | None) -> str:
    match item:
        case Word():
            return word_marks(item, box)
        case Tile():
            return tile_marks(item, box)
        case Spot():
            css = "lk-device" + " lk-skipped" * (item.device in layout.step.skipped)
            return at(box.x, box.y, css, column_marks(layout, item.device), device=item.device)
    return ""


def _zones(items: Sequence[Placed], layout: ColumnLayout) -> dict[str, Box]:
    """The room between operands and results, device by device."""
    top, bottom = layout.zone
    return {
        device: Box(box.x, box.y + top, box.w, bottom - top) for device, box in spots(items).items()
    }
