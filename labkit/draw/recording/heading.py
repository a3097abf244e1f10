"""The first lines over a step: its equation, whose names can be chosen, and the types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labkit.draw.items import SIZES, sentence, width
from labkit.draw.layout import Box, Node, column, flow, row
from labkit.draw.svg import group, text
from labkit.facts import Step, Value
from labkit.text.recording import NAMED, value_type
from labkit.text.words import short


@dataclass(frozen=True)
class Word:
    """A piece of an equation; with ``value`` it is the name of one, and can be chosen."""

    text: str
    value: str = ""


def heading(step: Step, most: float) -> Node:
    """``v3 = psum(v1)`` and under it the types of the values."""
    words = [row([_word(word) for word in side]) for side in _equation(step)]
    shown = {value.name: value for value in (*step.gives[:NAMED], *step.reads[:NAMED])}
    types = "   ".join(f"{name} {value_type(value)}" for name, value in shown.items())
    return column([flow(words, most, 0), *[sentence(types, "note", most)] * bool(types)], 3)


def _equation(step: Step) -> Iterator[list[Word]]:
    if step.gives:
        yield [*_names(step.gives), Word(" = ")]
    axes = step.collective.axes if step.collective else ()
    over = f"  over {', '.join(axes)}" if axes else ""
    if not step.reads and not step.gives:
        yield [Word(step.op + over)]  # of a compiled program only the collective is known
        return
    yield [Word(f"{step.op}(")]
    yield [*_names(step.reads), Word(f"){over}")]


def _names(values: Sequence[Value]) -> list[Word]:
    words = []
    for value in values[:NAMED]:
        words += [Word(", ")] * bool(words) + [Word(short(value.name, 16), value.name)]
    more = len(values) - NAMED
    return words + [Word(f", … {more} more")] * (more > 0)


def _word(word: Word) -> Node:
    return Node(width(word.text, "name"), SIZES["name"] * 1.35, word)


def word_marks(word: Word, box: Box) -> str:
    """A piece of the equation."""
    body = text(box.x, box.cy, word.text, "lk-name")
    return group("lk-named", body, value=word.value) if word.value else body
