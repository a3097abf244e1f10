"""Sentences that pictures and their text forms share."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.draw.letters import Cut, cuts
from labkit.draw.values import pane_text
from labkit.draw.words import count, device_names, process_names, process_of
from labkit.facts import Variable

DELETED = "deleted: its memory was donated or freed"


def band_lines(why: str) -> list[str]:
    """The band over a picture that is not to be trusted."""
    return [f"not to be trusted: {why}"] if why else []


def groups_lines(groups: Sequence[Sequence[str]], op: str) -> list[str]:
    """Who a collective joins; nothing without groups."""
    joined = "; ".join(device_names(group) for group in groups)
    return [f"{op or 'a collective'} joins {joined} (an illustration)"] if groups else []


def pick_words(pick: tuple[int, ...]) -> str:
    """Which pane alone is shown; nothing where none was picked."""
    return f"shown: only {pane_text(pick)}" if pick else ""


def story(variable: Variable) -> str:
    """What kind of thing a name stands for, in a few words."""
    if variable.arrays:
        return _array_story(variable)
    if not variable.meshes:
        return ""
    owners = [{process_of(label) for label in mesh.devices} for mesh in variable.meshes]
    if any(len(owner) > 1 for owner in owners):
        same = f"one mesh over {process_count(owners[0])}"
        return same if len(owners) == 1 else "the processes do not hold the same mesh"
    return "each process has a mesh of its own" if len(owners) > 1 else "a mesh of one process"


def _array_story(variable: Variable) -> str:
    arrays = variable.arrays
    wide = [array for array in arrays if array.spans]
    if wide:
        labels = wide[0].mesh.devices if wide[0].mesh else [s.device for s in wide[0].shards]
        return f"one array over {process_count(set(map(process_of, labels)))}" + _claim(variable)
    memory = all(array.where == "host" for array in arrays)
    kind = "a numpy array" if memory else "an array"
    if len(arrays) > 1:
        return f"each process has {kind} " + ("in its own memory" if memory else "of its own")
    owner = next(view for view in variable.views if view.value is arrays[0])
    return f"{kind} in {process_names(owner.processes)} alone" + _claim(variable)


def _claim(variable: Variable) -> str:
    """What an array says of its copies, and whether that is true."""
    spans = [array for array in variable.arrays if array.spans]
    says = "; it says it is replicated" if spans and spans[0].replicated else ""
    differ = any(cut.differ for group in cuts(variable) for cut in group)
    return says + ", but its copies differ" * differ


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
