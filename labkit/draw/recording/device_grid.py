"""Where the devices stand in the pictures of a recording: process boxes with columns in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from labkit.draw.arrays.arrangement import Columns, arrangements, clear
from labkit.draw.arrays.mesh_outlines import EDGE, margins
from labkit.draw.items import ProcessBox, label
from labkit.draw.layout import Box, Node, Placed, column, grid, padded
from labkit.facts import Mesh, Process, Step
from labkit.facts.labels import label_at, place_of

PADDING = 9.0

ACROSS = 4
"""Devices side by side; with more their values would have no room."""

TALL = 2
"""Rows of process boxes, where that many will do."""

BETWEEN = 11.0
"""Pixels between two columns; lines to other rows run there."""

WIDEST = 150.0
"""Pixels: a column needs no more."""


@dataclass(frozen=True)
class DeviceGrid:
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


def _meshes(step: Step, processes: Sequence[Process]) -> tuple[Mesh, ...]:
    """The mesh of a step; where it is a process's own, also those of the others that took part."""
    mesh = step.mesh
    if mesh is None or not mesh.local:
        return (mesh,) if mesh else ()
    taking = {device for value in (*step.reads, *step.gives) for device in value.held}
    groups = step.collective.groups if step.collective else ()
    taking |= {device for group in groups for device in group}
    places = [place_of(label) for label in mesh.devices]
    each = (tuple(label_at(process.index, place) for place in places) for process in processes)
    return tuple(replace(mesh, devices=devices) for devices in each if set(devices) <= taking)


def _inside(meshes: Sequence[Mesh], processes: Sequence[Process]) -> bool:
    """A process's own mesh is drawn in its box, and so is one that leaves out devices."""
    labels = {device.label for process in processes for device in process.devices}
    return any(mesh.local or set(mesh.devices) != labels for mesh in meshes)


def device_grid(step: Step, processes: Sequence[Process], most: float) -> DeviceGrid:
    """Where the devices stand in a picture.

    Args:
        step: what is drawn.
        processes: all processes, in order.
        most: the most it may be wide, in pixels.
    """
    meshes = _meshes(step, processes)
    tries = list(arrangements(meshes, processes))
    fit = [pair for pair in tries if pair[0] * pair[1] <= ACROSS] or tries[-1:]
    low = [(wide, boxes) for wide, boxes in fit if -(-len(processes) // boxes) <= TALL]
    across, boxes = (low or [max(fit, key=lambda pair: pair[0] * pair[1])])[0]
    edges = (2 * EDGE + 16) * (boxes if _inside(meshes, processes) else bool(meshes))
    room = most - edges - boxes * 2 * PADDING - (boxes - 1) * 12 - boxes * (across - 1) * BETWEEN
    w = min(int(room / (across * boxes)), WIDEST)
    return DeviceGrid(tuple(processes), meshes, (across, boxes), w)


def body(where: DeviceGrid, h: float) -> Node:
    """The process boxes with a place for each device's column."""
    boxes = []
    for process in where.processes:
        columns = [Node(where.w, h, Spot(device.label)) for device in process.devices]
        devices = grid(columns, where.across[0], BETWEEN, 8)
        devices = margins(devices, where.meshes[:1], where.clear) if where.inside else devices
        inside = column([label(f"process {process.index}", "head"), devices], 3)
        boxes.append(padded(inside, PADDING, 7, PADDING, PADDING, ProcessBox(process.index)))
    whole = grid(boxes, where.across[1], 12, 10)
    return whole if where.inside else margins(whole, where.meshes, where.clear)


def spots(items: Iterable[Placed]) -> dict[str, Box]:
    """Device label → its column, among placed items."""
    return {item.device: box for item, box in items if isinstance(item, Spot)}
