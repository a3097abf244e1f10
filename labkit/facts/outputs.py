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
