"""What a cell gave, process by process, and the pictures made of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Help:
    """An error in plain words.

    Attributes:
        what: what happened.
        instead: what to write or do instead.
        lesson: the notebook that shows it, empty if none does.
    """

    what: str
    instead: str
    lesson: str = ""

    @property
    def lines(self) -> tuple[str, str]:
        """``"What happened: …"`` and ``"Instead: … (lesson 01_…)"``."""
        lesson = f" (lesson {self.lesson})" if self.lesson else ""
        return f"What happened: {self.what}", f"Instead: {self.instead}{lesson}"


@dataclass(frozen=True)
class Failure:
    """An exception in one process.

    Attributes:
        type: ``"ZeroDivisionError"``.
        message: the exception's own text.
        lines: the learner's own lines, outermost first: (cell name, line number, source text).
        traceback: the whole of it, as Python prints it.
        help: the same in plain words, None where nothing is known about it.
    """

    type: str
    message: str
    lines: tuple[tuple[str, int, str], ...] = ()
    traceback: str = ""
    help: Help | None = None


@dataclass(frozen=True, eq=False)
class Output:
    """What one process made of a cell.

    Attributes:
        process: its index.
        text: what it printed (stdout and stderr).
        displays: display calls and figures, each a mime bundle.
        result: mime bundle of the last expression; empty when there is none.
        error: the exception that ended the cell, if one did.
        status: empty when the cell ended; else what the process is doing, in words.
    """

    process: int
    text: str = ""
    displays: tuple[dict[str, Any], ...] = ()
    result: dict[str, Any] = field(default_factory=dict)
    error: Failure | None = None
    status: str = ""


@dataclass(frozen=True)
class Part:
    """Where a scene stands in a recorded program; nothing of it is set in other scenes.

    Attributes:
        kind: ``"step"``, ``"collective"``, ``"fold"`` for a loop or a call as a whole,
            ``"call"`` for the program as a whole, ``"gap"`` where only the recording beside it
            has a step; empty outside of recordings.
        quiet: a step that is left out at first.
        within: places of the folds it stands in among the run's scenes, outermost first.
        differs: it is not the same in the recording beside it.
        reads, gives: names of the values the step takes and makes.
    """

    kind: str = ""
    quiet: bool = False
    within: tuple[int, ...] = ()
    differs: bool = False
    reads: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """One picture of a step on the stage.

    Attributes:
        title: a few words, for the step list.
        svg: the picture.
        caption: one or two sentences on what to see (plain text).
        alt: the picture in words, for terminals and screen readers.
        source: the program the processes ran; the same in every scene of one run.
        line: the line of ``source`` this scene shows, from 1; 0 for none.
        illustration: true where the picture shows what nobody can observe.
        span: first and one-past-last column of the part of that line that is meant; (0, 0) for
            all of it.
        first: the number shown at the first line of ``source``.
        part: where it stands in a recorded program.
    """

    title: str
    svg: str
    caption: str
    alt: str
    source: str = ""
    line: int = 0
    illustration: bool = False
    span: tuple[int, int] = (0, 0)
    first: int = 1
    part: Part = Part()
