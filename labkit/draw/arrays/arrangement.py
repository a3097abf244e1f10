"""How many devices and how many process boxes stand in a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labkit.facts import Mesh, Process

Columns = tuple[int, int]
"""Devices in a row of each box, boxes in a row."""


def arrangements(meshes: Sequence[Mesh], processes: Sequence[Process]) -> Iterator[Columns]:
    """Columns to try in turn, best first: as the mesh lies, else as wide as fits."""
    found = [columns for mesh in meshes if (columns := aligned(mesh, processes))]
    devices = max((len(process.devices) for process in processes), default=1)
    for across in dict.fromkeys([*(wide for wide, _ in found), *_halves(devices)]):
        best = [boxes for wide, boxes in found if wide == across]
        for boxes in dict.fromkeys([*best, *_halves(len(processes))]):
            yield across, boxes


def _halves(number: int) -> list[int]:
    return [number, *_halves((number + 1) // 2)] if number > 1 else [1]


def aligned(mesh: Mesh, processes: Sequence[Process]) -> Columns | None:
    """The columns with which every device stands where it stands in the mesh, or None.

    Devices and processes keep their order, so this is not possible for every mesh.
    """
    if len(mesh.shape) > 2:
        return None
    members = [process for process in processes if set(_labels(process)) & set(mesh.devices)]
    blocks = [_block(mesh, process) for process in members]
    if not blocks or None in blocks or len({block[2:] for block in blocks}) > 1:
        return None
    high, wide = blocks[0][2:]
    boxes = mesh.shape[-1] // wide
    corners = [(i // boxes * high, i % boxes * wide) for i in range(len(blocks))]
    if [block[:2] for block in blocks] != corners:
        return None
    return wide, boxes if len(members) > 1 else len(processes)


def clear(mesh: Mesh, processes: Sequence[Process], columns: Columns) -> bool:
    """Whether a device's place in the mesh can be seen from where it stands."""
    if mesh.in_order:
        return True
    fits = aligned(mesh, processes)
    return fits is not None and (fits == columns or (mesh.local and fits[0] == columns[0]))


def _labels(process: Process) -> list[str]:
    return [device.label for device in process.devices]


def _block(mesh: Mesh, process: Process) -> tuple[int, int, int, int] | None:
    """(row, column, height, width) of a process's devices in the mesh, if they fill a block."""
    labels = [label for label in _labels(process) if label in mesh.devices]
    places = [divmod(mesh.devices.index(label), mesh.shape[-1]) for label in labels]
    top, left = places[0]
    wide = sum(row == top for row, _ in places)
    wanted = [(top + i // wide, left + i % wide) for i in range(len(places))]
    full = len(labels) == len(process.devices) and len(places) % wide == 0
    return (top, left, len(places) // wide, wide) if places == wanted and full else None
