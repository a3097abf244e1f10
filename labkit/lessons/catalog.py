"""What a lesson is made of: questions with a truth to read, exercises with a check to run."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labkit.errors import LabError

LESSONS = ("00", "01", "02", "03", "04", "05", "06")


@dataclass(frozen=True)
class Question:
    """Something to predict.

    Attributes:
        id: lesson and letter, ``"01.a"``.
        text: what is asked.
        truth: reads from a lab what the processes gave, worded like one of the choices.
    """

    id: str
    text: str
    truth: Callable[[Any], str]


@dataclass(frozen=True)
class Exercise:
    """Something to build.

    Attributes:
        id: lesson and number, ``"01.2"``.
        title: a few words.
        check: looks at a lab and returns when all is right; raises ``look.Wrong`` with what was
            found and expected, or ``look.NotAttempted`` where the stub is as it was.
        hints: from a nudge to nearly the answer.
    """

    id: str
    title: str
    check: Callable[[Any], None]
    hints: tuple[str, ...]


def lesson(number: str) -> Any:
    """The module of one lesson, with its ``QUESTIONS`` and ``EXERCISES``."""
    return importlib.import_module(f"labkit.lessons.lesson{number}")


def question(id: str) -> Question:
    """The question with this id."""
    return _find(id, "QUESTIONS", "question")


def exercise(id: str) -> Exercise:
    """The exercise with this id."""
    return _find(id, "EXERCISES", "exercise")


def _find(id: str, kind: str, word: str) -> Any:
    number = re.match(r"\d\d(?=\.)", str(id))
    if not number or number[0] not in LESSONS:
        raise LabError(f"no {word} {id!r}: the lessons are {', '.join(LESSONS)}, as in '01.2'.")
    known = {part.id: part for part in getattr(lesson(number[0]), kind)}
    if id not in known:
        raise LabError(f"no {word} {id!r}: lesson {number[0]} has {', '.join(known)}.")
    return known[id]
