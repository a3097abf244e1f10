"""Pictures in words: for terminals, tests and screen readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.draw.arrange import in_order
from labkit.draw.letters import Cut, Held, cuts, held
from labkit.draw.story import (
    DELETED,
    band_lines,
    copies_lines,
    missing_words,
    pick_words,
    story,
)
from labkit.draw.values import Block, Room, blocks
from labkit.draw.words import (
    count,
    device_names,
    place_words,
    process_names,
    slice_text,
    spec_text,
    thing_text,
    type_text,
)
from labkit.facts import Array, Mesh, Process, Thing, Variable, View

ROOM = Room(rows=8, columns=16, panes=4, digits=7)


def lab_text(processes: Sequence[Process], state: str, why: str, gone: Mapping[int, str]) -> str:
    """The lab in words: its state, then one line a process."""
    devices = sum(len(process.devices) for process in processes)
    head = f"lab {state}: {count(len(processes), 'process', 'processes')}, "
    lines = [*band_lines(why), head + count(devices, "device")]
    return "\n".join(lines + [_process_line(process, gone) for process in processes])


def _process_line(process: Process, gone: Mapping[int, str]) -> str:
    if process.index in gone:
        return f"  process {process.index}  not there: {gone[process.index]}"
    labels = " ".join(device.label for device in process.devices)
    return f"  process {process.index}  {labels}" + (f"  on {process.host}" * bool(process.host))


def variables_text(variables: Sequence[Variable], pick: tuple[int, ...], values: bool) -> str:
    """Variables in words: who holds which slice, with which values."""
    texts = [_variable(variable, pick, values) for variable in variables]
    return "\n\n".join([*texts, *[pick_words(pick)] * bool(pick)])


def _variable(variable: Variable, pick: tuple[int, ...], values: bool) -> str:
    groups = iter(cuts(variable))
    lines = [f"{variable.name}  {story(variable)}".rstrip()]
    for view in variable.views:
        group = next(groups) if isinstance(view.value, Array) else ()
        lines += [f"  {line}" for line in _view(view, group, pick, values)]
    if variable.missing:
        lines.append(f"  {missing_words(variable)}")
    return "\n".join(lines)


def _view(view: View, group: tuple[Cut, ...], pick: tuple[int, ...], values: bool) -> list[str]:
    who = process_names(view.processes)
    if isinstance(view.value, Mesh):
        return [f"{who}: {view.value.text}", *_mesh_lines(view.value)]
    if isinstance(view.value, Thing):
        return [f"{who}: {thing_text(view.value, 72)}"]
    return [f"{who}: {array_words(view.value)}", *_array(view.value, group, pick, values)]


def _mesh_lines(mesh: Mesh) -> list[str]:
    return [f"  {label}  {place_words(mesh, label)}" for label in mesh.devices]


def array_words(array: Array) -> str:
    """``"int32[8]  P('i')  Mesh(i: 4)"``."""
    if array.deleted:
        return f"{type_text(array)}  {DELETED}"
    where = "numpy, in the process's own memory" if array.where == "host" else ""
    parts = (type_text(array), spec_text(array.spec), array.mesh and array.mesh.text, where)
    return "  ".join(part for part in parts if part)


def _array(array: Array, group: tuple[Cut, ...], pick: tuple[int, ...], values: bool) -> list[str]:
    holders = held((group,))
    rows = [_row(array, holders[shard.device]) for shard in array.shards]
    shown = blocks(array, ROOM, pick) if values else {}
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = []
    for row, shard in zip(rows, array.shards, strict=True):
        head = "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True))
        lines += _beside(head, block_lines(shown[shard.device]) if values else [])
    return lines + [f"  {line}" for line in (*copies_lines(group), *_unseen(array, holders))]


def _row(array: Array, holds: Held) -> tuple[str, ...]:
    """Label, the place in a mesh whose order does not say it, letter, slice."""
    label, mesh = holds.shard.device, array.mesh
    place = place_words(mesh, label) if mesh and not in_order(mesh) else ""
    return label, *[place] * bool(place), holds.mark, slice_text(holds.cut.index, array.shape)


def _unseen(array: Array, holders: Mapping[str, Held]) -> list[str]:
    """Devices of the array's mesh of which no process told anything."""
    mesh = array.mesh.devices if array.mesh and not array.deleted else ()
    labels = [label for label in mesh if label not in holders]
    return [f"not seen: {device_names(labels)}"] if labels else []


def _beside(head: str, lines: list[str]) -> list[str]:
    first, *rest = lines or [""]
    return [f"{head}  {first}".rstrip(), *(" " * (len(head) + 2) + line for line in rest)]


def block_lines(shown: Block) -> list[str]:
    """A block of values as aligned lines, with its note."""
    lines = []
    for pane in shown.panes:
        widths = [max(map(len, cells)) for cells in zip(*pane.rows, strict=True)]
        lines += [pane.label] * bool(pane.label)
        lines += [" ".join(map(str.rjust, row, widths)) for row in pane.rows]
    return lines + [f"({shown.note})"] * bool(shown.note)
