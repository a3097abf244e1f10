"""What the explorers' scenes are made of: a run's facts, its program's lines, values in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labkit import draw
from labkit.facts import Scene, Variable
from labkit.facts.labels import process_of
from labkit.text.numbers import number
from labkit.text.words import process_names

MOST = 4  # so many are named in a sentence, then it says how many more there are


@dataclass(frozen=True)
class Found:
    """What one run of a program made of some names.

    Attributes:
        variables: name → its facts.
        why: why they may not be trusted; empty when they may.
    """

    variables: Mapping[str, Variable]
    why: str = ""

    def __getitem__(self, name: str) -> Variable:
        return self.variables[name]


Ask = Callable[[str, Sequence[str]], Found]
"""Runs a program (source text) on the lab and gives the facts of some names."""


@dataclass(frozen=True)
class Play:
    """What goes on the stage.

    Attributes:
        runs: title → scenes; one with an empty title stands alone.
        why: why they may not be trusted; empty when they may.
    """

    runs: Mapping[str, Sequence[Scene]]
    why: str = ""


def scene(
    title: str,
    picture: draw.Picture,
    caption: str,
    program: str,
    start: str,
    illustration: bool = False,
) -> Scene:
    """A scene at the first line of ``program`` that starts with ``start``, spaces left out."""
    line = line_of(program, start)
    return Scene(title, picture.unlabelled, caption, picture.text, program, line, illustration)


def line_of(program: str, start: str) -> int:
    """Number of the first line that starts so, from 1."""
    lines = [line.strip() for line in program.splitlines()]
    return next(i for i, line in enumerate(lines, 1) if line.startswith(start))


def vector(value: np.ndarray) -> str:
    """``"[12 16]"``; a long one is shortened in the middle."""
    return "[" + listed([number(item) for item in value.ravel()], " ", 8) + "]"


def listed(texts: Iterable[str], joint: str = ", ", most: int = MOST) -> str:
    """The texts in a row, the middle left out where there are more than ``most``."""
    texts = list(texts)
    shown = texts if len(texts) <= most else [*texts[: most - 1], "…", texts[-1]]
    return joint.join(shown)


def distinct(value: np.ndarray) -> str:
    """Every number in it, once: ``"2"`` of an array that holds nothing else."""
    return listed(number(item) for item in np.unique(value))


def by_process(variable: Variable, say: Callable[[np.ndarray], str] = vector) -> str:
    """Who holds what: ``"[12 16] in process 0, [44 48] in process 1"``, equal ones said once.

    Args:
        variable: a name's facts.
        say: a shard's value in words.
    """
    held: dict[int, dict[str, None]] = {}  # the inner one is a set that keeps its order
    for array in variable.arrays:
        for shard in array.shards:
            held.setdefault(process_of(shard.device), {})[say(shard.value)] = None
    return agreeing({process: " and ".join(texts) for process, texts in held.items()})


def agreeing(texts: Mapping[int, str]) -> str:
    """Process → text in one sentence; processes with the same text are named together."""
    who: dict[str, list[int]] = {}
    for process, text in texts.items():
        who.setdefault(text, []).append(process)
    if len(who) == 1:
        return f"{next(iter(who))} in every process"
    return listed(f"{text} in {process_names(processes)}" for text, processes in who.items())
