"""A recorded step in words and numbers: for terminals, tests and screen readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from labkit.facts import Array, Collective, Shard, Step, Value, Within
from labkit.text.arrays import block_lines
from labkit.text.letters import Letters, alike, letter
from labkit.text.values import Room, blocks
from labkit.text.words import count, device_names, size_text, slice_text, spec_text, type_text

NAMED = 4
"""So many operands and results are named, then it says how many more there are."""

LOOPS = ("scan", "while", "fori_loop")


def value_type(value: Value) -> str:
    """``"float32[2,4]"``, with the spec of a global array after it."""
    return f"{type_text(value)} {spec_text(value.spec)}".rstrip()


def names(values: Sequence[Value]) -> list[str]:
    """The first few names, then how many more there are."""
    more = len(values) - NAMED
    return [value.name for value in values[:NAMED]] + [f"… {more} more"] * (more > 0)


def equation(step: Step) -> str:
    """``"v3 = psum(v1)"``."""
    made = ", ".join(names(step.gives))
    if not step.reads and not step.gives:
        return step.op
    return f"{made} = " * bool(made) + f"{step.op}({', '.join(names(step.reads))})"


def agreement(value: Value) -> str:
    """``"v3 is equal along y and varies along x"``; nothing where there is no mesh."""
    if not value.varies and value.digests and len(set(value.digests.values())) == 1:
        return f"{value.name} is the same on every device"
    equal = f"is equal along {' and '.join(value.equal)}" if value.equal else ""
    varies = f"varies along {' and '.join(value.varies)}" if value.varies else ""
    told = " and ".join(words for words in (equal, varies) if words)
    return f"{value.name} {told}" if told else ""


def collective_words(collective: Collective) -> str:
    """``"psum over y: 2 groups of 4 devices; each gives 8 B, at least 12 B leave it"``."""
    over = f" over {' and '.join(collective.axes)}" if collective.axes else ""
    told = [f"{collective.op}{over}: {_partners(collective)}", _sizes(collective)]
    return "; ".join(words for words in told if words)


def _partners(collective: Collective) -> str:
    if collective.sends:
        return f"{count(len(collective.sends), 'device')} send to one other each"
    sizes = [len(group) for group in collective.groups]
    if not sizes:
        return "the groups are not known"
    if len(set(sizes)) > 1:
        return f"{len(sizes)} groups of {' and '.join(map(str, sizes))} devices"
    many = "one group" if len(sizes) == 1 else f"{len(sizes)} groups"
    return f"{many} of {count(sizes[0], 'device')}"


def _sizes(collective: Collective) -> str:
    given = f"each gives {size_text(collective.bytes)}" if collective.bytes else ""
    moved = f"at least {size_text(collective.moved)} leave it" if collective.moved else ""
    return ", ".join(words for words in (given, moved) if words)


def group_lines(collective: Collective) -> Iterator[str]:
    """Who takes part with whom, a line for each group; or who sends to whom."""
    if collective.sends:
        yield "sends: " + ", ".join(f"{a} → {b}" for a, b in collective.sends)
    for group in collective.groups if not collective.sends else ():
        yield f"together: {device_names(group)}"


def place_in_program(within: Sequence[Within]) -> str:
    """``"scan, turn 2 · jit relu"``, from the outermost to the innermost."""
    return " · ".join(map(within_words, within))


def within_words(within: Within) -> str:
    """``"scan, turn 2"`` (counted from 1), ``"cond, branch 0"``, ``"jit relu"``."""
    name = f"{within.what} {within.name}".strip()
    if within.turn < 0:
        return name
    if within.what in LOOPS:
        return f"{name}, turn {within.turn + 1}"
    return f"{name}, branch {within.turn}"


def skipped_words(step: Step) -> str:
    """On which devices a step did not run; nothing if it ran on all."""
    return f"did not run on {device_names(step.skipped)}" if step.skipped else ""


ROOM = Room(rows=2, columns=4, panes=1, digits=4)


def step_text(step: Step) -> str:
    """The step in words, then each operand and each result device by device."""
    letters = alike(step)
    lines = [equation(step), *_about(step)]
    for word, values in (("reads", step.reads), ("gives", step.gives)):
        for value in values[:NAMED]:
            lines += [f"{word} {value.name}  {value_type(value)}", *_held(value, step, letters)]
    return "\n".join(lines)


def _about(step: Step) -> Iterator[str]:
    if step.collective:
        yield collective_words(step.collective)
        yield from group_lines(step.collective)
    told = (place_in_program(step.within), skipped_words(step), step.note)
    yield from (line for line in told if line)
    if not step.skipped:  # where it did not run there is nothing to compare
        yield from filter(None, map(agreement, step.gives[:NAMED]))


def _held(value: Value, step: Step, letters: Letters) -> Iterator[str]:
    shown = _elements(value)
    for device in value.held:
        if device in step.skipped:
            yield f"  {device}  did not run"
            continue
        at = value.index.get(device)
        head = f"  {device}  {letter(letters[value, device])}"
        head += f"  {slice_text(at, value.shape)}" * bool(at)
        yield f"{head}  {shown[device]}"


@lru_cache(maxsize=4096)  # a value is told in the step that makes it and in all that read it
def _elements(value: Value) -> dict[str, str]:
    """Device label → its elements, row after row."""
    found = blocks(as_array(value), ROOM)
    return {d: " / ".join(block_lines(replace(b, note=""))) for d, b in found.items()}


def as_array(value: Value) -> Array:
    """The value as an array: inside a ``shard_map`` each device's own counts from 0."""
    shards = tuple(_shard(value, device) for device in value.held)
    return Array(value.shape, value.dtype, shards, value.spec)


def _shard(value: Value, device: str) -> Shard:
    array = value.held[device]
    index = value.index.get(device, tuple((0, size) for size in value.shape))
    shape = tuple(stop - start for start, stop in index)
    digest = value.digests.get(device, "")
    return Shard(device, index, shape, array, value.complete, digest)
