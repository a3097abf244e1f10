"""Errors in plain words: what happened, and what to write instead.

The table is ``explain.toml``, beside this file. An exception is known by its type and by pieces of
its message; a process that ended without one, by its exit status and what it wrote.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from labkit.facts import Failure, Help


@dataclass(frozen=True)
class Entry:
    """One error of the table.

    Attributes:
        help: what is said of it.
        pieces: all of them stand in the message, or in what the process wrote; none: it is empty.
        of: the exception's type, or how the process ended; empty: however it ended.
        frame: stands in the traceback too; empty: not looked at.
    """

    help: Help
    pieces: tuple[str, ...]
    of: str = ""
    frame: str = ""

    def fits_failure(self, failure: Failure) -> bool:
        """Whether this is the exception."""
        told = self.of == failure.type and _says(failure.message, self.pieces)
        return told and self.frame in failure.traceback

    def fits_death(self, status_words: str, log: str) -> bool:
        """Whether this is how the process ended."""
        return self.of in ("", status_words) and _says(log, self.pieces)


def _says(text: str, pieces: tuple[str, ...]) -> bool:
    """Whether all pieces are in the text; without pieces, whether there is no text."""
    return all(piece in text for piece in pieces) if pieces else not text


@cache
def table() -> dict[str, tuple[Entry, ...]]:
    """``"failure"``: exceptions. ``"death"``: processes that ended without one."""
    told = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {kind: tuple(map(_entry, rows)) for kind, rows in told.items()}


def _entry(row: dict) -> Entry:
    help_ = Help(row.pop("what"), row.pop("instead"), row.pop("lesson", ""))
    return Entry(help_, tuple(row.pop("pieces")), **row)


def failure(failure: Failure) -> Help | None:
    """What is known about an exception.

    Args:
        failure: the exception in one process.

    Returns:
        Two lines in plain words, None for an exception that is not in the table.
    """
    return next((e.help for e in table()["failure"] if e.fits_failure(failure)), None)


def death(status_words: str, log: str) -> Help | None:
    """What is known about a process that ended without an exception.

    Args:
        status_words: how it ended: ``"killed by SIGABRT"``, ``"exit status 1"``.
        log: what it wrote to its own stdout and stderr since it was started.

    Returns:
        Two lines in plain words, None for an end that is not in the table.
    """
    return next((e.help for e in table()["death"] if e.fits_death(status_words, log)), None)
