"""A recorded step in words and numbers: for terminals, tests and screen readers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from labkit.draw.alike import Letters, alike
from labkit.draw.letters import letter
from labkit.draw.previews import as_array
from labkit.draw.step_words import (
    NAMED,
    agreement,
    equation,
    exchange_words,
    group_lines,
    place_in_program,
    skipped_words,
    value_type,
)
from labkit.draw.text import block_lines
from labkit.draw.values import Room, blocks
from labkit.draw.words import slice_text
from labkit.facts import Step, Value

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
    if step.exchange:
        yield exchange_words(step.exchange)
        yield from group_lines(step.exchange)
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
