"""Pictures in words: for terminals, tests and screen readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.draw.letters import Cut, cuts, held
from labkit.draw.values import Block, Room, blocks, pane_text
from labkit.draw.words import (
    coordinates,
    count,
    process_names,
    process_of,
    short,
    slice_text,
    spec_text,
    type_text,
)
from labkit.facts import Array, Mesh, Process, Thing, Variable, View

ROOM = Room(rows=8, columns=16, panes=4, digits=9)

DELETED = "deleted: its memory was donated or freed"


def lab_text(
    processes: Sequence[Process], state: str, why: str, gone: Mapping[int, str]
) -> str:
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


def band_lines(why: str) -> list[str]:
    """The band over a picture that is not to be trusted."""
    return [f"not to be trusted: {why}"] if why else []


def variables_text(
    variables: Sequence[Variable], pick: tuple[int, ...], values: bool
) -> str:
    """Variables in words: who holds which slice, with which values."""
    texts = [_variable(variable, pick, values) for variable in variables]
    return "\n\n".join([*texts, *[pick_words(pick)] * bool(pick)])


def pick_words(pick: tuple[int, ...]) -> str:
    """Which pane alone is shown; nothing where none was picked."""
    return f"shown: only {pane_text(pick)}" if pick else ""


def _variable(variable: Variable, pick: tuple[int, ...], values: bool) -> str:
    groups = iter(cuts(variable))
    lines = [f"{variable.name}  {story(variable)}".rstrip()]
    for view in variable.views:
        group = next(groups) if isinstance(view.value, Array) else ()
        lines += [f"  {line}" for line in _view(view, group, pick, values)]
    if variable.missing:
        lines.append(f"  {missing_words(variable)}")
    return "\n".join(lines)


def story(variable: Variable) -> str:
    """What kind of thing a name stands for, in a few words."""
    if variable.arrays:
        return _array_story(variable)
    if not variable.meshes:
        return ""
    owners = [{process_of(label) for label in mesh.devices} for mesh in variable.meshes]
    if any(len(owner) > 1 for owner in owners):
        return f"one mesh over {process_count(owners[0])}"
    return "each process has a mesh of its own" if len(owners) > 1 else "a mesh of one process"


def _array_story(variable: Variable) -> str:
    arrays = variable.arrays
    if any(array.spans for array in arrays):
        owners = {process_of(shard.device) for array in arrays for shard in array.shards}
        differ = any(cut.differ for group in cuts(variable) for cut in group)
        claim = "; it says it is replicated" if arrays[0].replicated else ""
        claim += ", but its copies differ" * differ
        return f"one array over {process_count(owners)}{claim}"
    memory = all(array.where == "host" for array in arrays)
    kind = "a numpy array" if memory else "an array"
    if len(arrays) > 1:
        return f"each process has {kind} " + ("in its own memory" if memory else "of its own")
    return f"{kind} that only {process_names(variable.views[0].processes)} has"


def process_count(owners: set[int]) -> str:
    """``"2 processes"``."""
    return count(len(owners), "process", "processes")


def missing_words(variable: Variable) -> str:
    """``"process 1 has no name x"``."""
    verb = "has" if len(variable.missing) == 1 else "have"
    return f"{process_names(variable.missing)} {verb} no name {variable.name}"


def _view(
    view: View, group: tuple[Cut, ...], pick: tuple[int, ...], values: bool
) -> list[str]:
    who = process_names(view.processes)
    if isinstance(view.value, Mesh):
        return [f"{who}: {view.value.text}", *_mesh_lines(view.value)]
    if isinstance(view.value, Thing):
        return [f"{who}: {view.value.type} {short(view.value.text, 72)}"]
    return [f"{who}: {array_words(view.value)}", *_array(view.value, group, pick, values)]


def _mesh_lines(mesh: Mesh) -> list[str]:
    return [
        f"  {label}  "
        + " ".join(
            f"{name}={at}"
            for name, at in zip(mesh.axis_names, coordinates(mesh, label), strict=True)
        )
        for label in mesh.devices
    ]


def array_words(array: Array) -> str:
    """``"int32[8]  P('i')  Mesh(i: 4)"``."""
    if array.deleted:
        return f"{type_text(array)}  {DELETED}"
    where = "numpy, in the process's own memory" if array.where == "host" else ""
    parts = (type_text(array), spec_text(array.spec), array.mesh and array.mesh.text, where)
    return "  ".join(part for part in parts if part)


def _array(array: Array, group: tuple[Cut, ...], pick: tuple[int, ...], values: bool) -> list[str]:
    holders = held((group,))
    rows = [
        (shard.device, holds.mark, slice_text(holds.cut.index, array.shape))
        for shard in array.shards
        if (holds := holders[shard.device])
    ]
    shown = blocks(array, ROOM, pick) if values else {}
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    lines = []
    for row, shard in zip(rows, array.shards, strict=True):
        head = "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True))
        lines += _beside(head, block_lines(shown[shard.device]) if values else [])
    return lines + [f"  {line}" for line in copies_lines(group)]


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


def copies_lines(group: Sequence[Cut]) -> list[str]:
    """What is known of the copies of slices; nothing where each has only one."""
    same: dict[str, list[str]] = {}
    for cut in group:
        if len(cut.shards) > 1 and not cut.differ:
            words = "all equal" if cut.compared else "not compared"
            same.setdefault(f"{len(cut.shards)} copies, {words}", []).append(cut.letter)
    every = len(same) == 1 and 1 < len(group) == len(next(iter(same.values())))
    lines = [f"{'each slice' if every else ', '.join(of)}: {words}" for words, of in same.items()]
    return [differ_words(cut) for cut in group if cut.differ] + lines


def differ_words(cut: Cut) -> str:
    """``"copies differ: A on p0·d0; A′ on p1·d0"``."""
    holders: dict[str, list[str]] = {}
    for shard, mark in zip(cut.shards, cut.marks, strict=True):
        holders.setdefault(mark, []).append(shard.device)
    return "copies differ: " + "; ".join(f"{m} on {' '.join(d)}" for m, d in holders.items())
