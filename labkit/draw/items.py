"""What stands in a picture: plain records, placed by the layout and drawn by the marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from labkit.draw.layout import Node, column, row
from labkit.facts import Process
from labkit.text.letters import Cut
from labkit.text.words import short

TILE = 33.0
"""Width and height of a tile, in pixels."""


LINE = {"value": 17.0, "pane": 16.0, "small": 15.0, "alarm": 15.0}
"""Height of each kind of line in a card."""


SIZES = {
    "name": 15.0,
    "head": 12.5,
    "words": 12.0,
    "warn": 12.0,
    "note": 11.0,
    "code": 12.0,
    "value": 13.0,
    "small": 11.0,
    "pane": 11.0,
    "alarm": 11.0,
    "tile": 10.0,
}
"""Font size of each kind of text, in pixels; the style sheet has the same."""

SANS = {"head", "words", "warn", "note", "alarm"}
"""The kinds in the reading font; the others have a fixed width."""

BOLD = {"head", "warn", "alarm"}


@dataclass(frozen=True)
class Label:
    """One line of text, left-aligned.

    Attributes:
        text: the line.
        kind: a key of ``SIZES``.
    """

    text: str
    kind: str


@dataclass(frozen=True)
class Card:
    """One device, or a process's own memory, and what it holds.

    Attributes:
        label: ``"p0·d0"``.
        mark: letter of the slice, ``"A′"``; empty when it holds nothing.
        slice: the letter without primes, which links it with its slice.
        colour: number of the slice's colour.
        differs: whether it is a copy that differs from the first.
        partial: whether some of its values are left out.
        outside: whether it takes no part in the mesh.
        lines: what it holds: values, then in small the slice, the place in the mesh and what
            is left out.
        title: all of it in words, for the pointer.
        tile: drawn small, with the mark and at most one value.
    """

    label: str
    mark: str = ""
    slice: str = ""
    colour: int = 0
    differs: bool = False
    partial: bool = False
    outside: bool = False
    lines: tuple[Label, ...] = ()
    title: str = ""
    tile: bool = False


@dataclass(frozen=True)
class ProcessBox:
    """The box of a process; ``gone`` says how it ended, if it did."""

    index: int
    gone: str = ""


@dataclass(frozen=True)
class Piece:
    """One slice of an array in the strip; rows and columns count its elements."""

    cut: Cut
    rows: int
    columns: int


@dataclass(frozen=True)
class Rest:
    """The part of an array in the strip of which no process told anything."""


@dataclass(frozen=True)
class Outline:
    """A mesh's edge, with the axes' names and sizes on its sides.

    Attributes:
        legend: whose it is, ``"mesh"``.
        top: the axis that runs to the right, ``"model: 4"``; empty for a further part.
        left: the axis that runs downwards.
    """

    legend: str
    top: str
    left: str


@dataclass(frozen=True)
class Line:
    """A line through points of the picture; ``kind`` is ``"mesh"`` or ``"group"``."""

    points: tuple[tuple[float, float], ...]
    kind: str


@dataclass(frozen=True)
class Band:
    """The striped band over what is not to be trusted."""


@dataclass(frozen=True)
class Pill:
    """A word in a rounded box: the lab's state, or a collective's name."""

    text: str
    kind: str


def width(text: str, kind: str) -> float:
    """About how wide a text is drawn, in pixels."""
    each = 0.61 if kind in BOLD else 0.56 if kind in SANS else 0.61
    return len(text) * SIZES[kind] * each


def label(text: str, kind: str) -> Node:
    """A line of text as wide as it is drawn."""
    return Node(width(text, kind), SIZES[kind] * 1.35, Label(text, kind))


def sentence(text: str, kind: str, most: float) -> Node:
    """A text in as many lines as it needs to be no wider than ``most``."""
    letters = max(int(most / width("x", kind)), 12)
    return column([label(line, kind) for line in wrap(text, letters)])


def labels(texts: Sequence[str], kind: str) -> list[Node]:
    """One node for each text that is not empty."""
    return [label(text, kind) for text in texts if text]


def process_head(process: Process, processes: Sequence[Process]) -> Node:
    """A process's name over its box, with its machine's where there are several machines."""
    hosts = {other.host for other in processes}
    name = [label(f"process {process.index}", "head")]
    return row(name + labels([short(process.host, 24)], "note") if len(hosts) > 1 else name, 7)
