"""Pictures in words: for terminals, tests and screen readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.draw.letters import Cut, cuts
from labkit.draw.values import Block, Room, block
from labkit.draw.words import (
    axis_texts,
    coordinates,
    count,
    process_names,
    short,
    slice_text,
    spec_text,
    type_text,
)
from labkit.facts import Array, Mesh, Process, Thing, Variable, View

ROOM = Room(rows=8, columns=16, panes=4, digits=9)


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
    return "\n\n".join(_variable(variable, pick, values) for variable in variables)


def _variable(variable: Variable, pick: tuple[int, ...], values: bool) -> str:
    letters = iter(cuts(variable))
    lines = [variable.name]
    for view in variable.views:
        lines += _view(view, letters, pick, values)
    if variable.missing:
        lines.append(missing_words(variable))
    return "\n".join(f"  {line}" if i else line for i, line in enumerate(lines))


def missing_words(variable: Variable) -> str:
    """``"process 1 has no name x"``."""
    verb = "has" if len(variable.missing) == 1 else "have"
    return f"{process_names(variable.missing)} {verb} no name {variable.name}"


def _view(view: View, letters, pick, values) -> list[str]:
    who = process_names(view.processes)
    if isinstance(view.value, Mesh):
        return [f"{who}: {view.value.text}", *_mesh_lines(view.value)]
    if isinstance(view.value, Thing):
        return [f"{who}: {view.value.type} {short(view.value.text, 72)}"]
    return [f"{who}: {array_words(view.value)}", *_array(view.value, next(letters), pick, values)]


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
    """``"int32[8]  P('i')  Mesh(i: 4)  its own"``."""
    if array.deleted:
        return f"{type_text(array)}  deleted: its memory was donated or freed"
    owner = "one array over several processes" if array.spans else "an array of its own"
    if array.where == "host":
        owner = "numpy, in the process's own memory"
    parts = (type_text(array), spec_text(array.spec), array.mesh.text if array.mesh else "", owner)
    return "  ".join(part for part in parts if part)


def _array(array: Array, group: tuple[Cut, ...], pick, values: bool) -> list[str]:
    rows = [
        (shard.device, mark, slice_text(cut.index, array.shape), shard)
        for cut in group
        for shard, mark in zip(cut.shards, cut.marks, strict=True)
    ]
    rows.sort(key=lambda row: [s.device for s in array.shards].index(row[0]))
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    lines = []
    for *cells, shard in rows:
        head = "  " + "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True))
        lines += _beside(head, block_lines(block(shard, array, ROOM, pick)) if values else [])
    return lines + [f"  {words}" for cut in group if (words := copies_words(cut))]


def _beside(head: str, lines: list[str]) -> list[str]:
    first, *rest = lines or [""]
    return [f"{head}  {first}".rstrip(), *(" " * (len(head) + 2) + line for line in rest)]


def block_lines(shown: Block) -> list[str]:
    """A block of values as aligned lines, with its note."""
    lines = []
    for pane in shown.panes:
        width = max(len(cell) for row in pane.rows for cell in row)
        lines += [pane.label] * bool(pane.label)
        lines += [" ".join(cell.rjust(width) for cell in row) for row in pane.rows]
    return lines + [f"({shown.note})"] * bool(shown.note)


def copies_words(cut: Cut) -> str:
    """What is known of the copies of a slice; nothing when there is only one."""
    if len(cut.shards) == 1:
        return ""
    if not cut.compared:
        return f"{cut.letter}: {count(len(cut.shards), 'copy', 'copies')}, not compared"
    if not cut.differ:
        return f"{cut.letter}: {count(len(cut.shards), 'copy', 'copies')}, all equal"
    holders: dict[str, list[str]] = {}
    for shard, mark in zip(cut.shards, cut.marks, strict=True):
        holders.setdefault(mark, []).append(shard.device)
    return "copies differ: " + "; ".join(f"{m} on {' '.join(d)}" for m, d in holders.items())
