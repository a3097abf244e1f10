"""Arrays and meshes in words: what is claimed of them, who holds what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.facts import Array, Mesh, Thing, Variable, View
from labkit.facts.labels import process_of
from labkit.text.letters import Cut, HeldShard, Lettered, held
from labkit.text.values import Block, Room, blocks, pane_text
from labkit.text.words import (
    count,
    device_names,
    place_words,
    process_names,
    slice_text,
    spec_text,
    thing_text,
    type_text,
)

ROOM = Room(rows=8, columns=16, panes=4, digits=7)


def variables_text(variables: Sequence[Lettered], pick: tuple[int, ...], values: bool) -> str:
    """Variables in words: who holds which slice, with which values."""
    texts = [_variable(variable, pick, values) for variable in variables]
    return "\n\n".join([*texts, *[pick_words(pick)] * bool(pick)])


def _variable(lettered: Lettered, pick: tuple[int, ...], values: bool) -> str:
    variable = lettered.variable
    lines = [f"{variable.name}  {story(lettered)}".rstrip()]
    for view, group in lettered.views:
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


def _row(array: Array, holds: HeldShard) -> tuple[str, ...]:
    """Label, the place in a mesh whose order does not say it, letter, slice."""
    label, mesh = holds.shard.device, array.mesh
    place = place_words(mesh, label) if mesh and not mesh.in_order else ""
    return label, *[place] * bool(place), holds.mark, slice_text(holds.cut.index, array.shape)


def _unseen(array: Array, holders: Mapping[str, HeldShard]) -> list[str]:
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


DELETED = "deleted: its memory was donated or freed"


def groups_lines(groups: Sequence[Sequence[str]], op: str) -> list[str]:
    """Who a collective joins; nothing without groups."""
    joined = "; ".join(device_names(group) for group in groups)
    return [f"{op or 'a collective'} joins {joined} (an illustration)"] if groups else []


def pick_words(pick: tuple[int, ...]) -> str:
    """Which pane alone is shown; nothing where none was picked."""
    return f"shown: only {pane_text(pick)}" if pick else ""


def story(lettered: Lettered) -> str:
    """What kind of thing a name stands for, in a few words."""
    variable = lettered.variable
    if variable.arrays:
        return _array_story(lettered)
    if not variable.meshes:
        return ""
    owners = [{process_of(label) for label in mesh.devices} for mesh in variable.meshes]
    if any(len(owner) > 1 for owner in owners):
        same = f"one mesh over {process_count(owners[0])}"
        return same if len(owners) == 1 else "the processes do not hold the same mesh"
    return "each process has a mesh of its own" if len(owners) > 1 else "a mesh of one process"


def _array_story(lettered: Lettered) -> str:
    arrays = lettered.variable.arrays
    wide = [array for array in arrays if array.spans]
    if wide:
        labels = wide[0].mesh.devices if wide[0].mesh else [s.device for s in wide[0].shards]
        return f"one array over {process_count(set(map(process_of, labels)))}" + _claim(lettered)
    memory = all(array.where == "host" for array in arrays)
    kind = "a numpy array" if memory else "an array"
    if len(arrays) > 1:
        return f"each process has {kind} " + ("in its own memory" if memory else "of its own")
    owner = next(view for view in lettered.variable.views if view.value is arrays[0])
    return f"{kind} in {process_names(owner.processes)} alone" + _claim(lettered)


def _claim(lettered: Lettered) -> str:
    """What an array says of its copies, and whether that is true."""
    spans = [array for array in lettered.variable.arrays if array.spans]
    says = "; it says it is replicated" if spans and spans[0].replicated else ""
    return says + ", but its copies differ" * lettered.differ


def process_count(owners: set[int]) -> str:
    """``"2 processes"``."""
    return count(len(owners), "process", "processes")


def missing_words(variable: Variable) -> str:
    """``"process 1 has no name x"``."""
    verb = "has" if len(variable.missing) == 1 else "have"
    return f"{process_names(variable.missing)} {verb} no name {variable.name}"


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
    return "copies differ: " + "; ".join(
        f"{mark} on {device_names(labels)}" for mark, labels in holders.items()
    )
