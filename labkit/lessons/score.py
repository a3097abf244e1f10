"""What was tried in this kernel, and the table of it."""

from __future__ import annotations

from labkit.lessons.cards import Card
from labkit.lessons.catalog import LESSONS, Exercise, lesson

tries: dict[str, list[str]] = {}
"""Exercise id → the status of each try, in order; a check of an untouched stub is no try."""

hinted: dict[str, int] = {}
"""Exercise id → how many of its hints were shown."""

begun: set[str] = set()
"""Lessons of which something was asked, checked or hinted at."""

_MARKS = {"right": "✓", "tried": "·", "open": "○"}


def state(id: str) -> str:
    """``"right"`` (once is enough), ``"tried"`` or ``"open"``."""
    statuses = tries.get(id, [])
    return "right" if "right" in statuses else "tried" if statuses else "open"


def effort(id: str) -> str:
    """``"2 tries, 1 hint"``, counting tries up to the first right one."""
    statuses = tries.get(id, [])
    needed = statuses.index("right") + 1 if "right" in statuses else len(statuses)
    hints = hinted.get(id, 0)
    parts = [f"{needed} {'try' if needed == 1 else 'tries'}"] if needed else []
    return ", ".join(parts + ([f"{hints} {'hint' if hints == 1 else 'hints'}"] if hints else []))


def progress() -> Card:
    """Which exercises are right, tried or still open, with the tries and hints each took.

    It counts what happened in this kernel, in the lessons begun there; before that, it lists
    all lessons.

    Returns:
        A card; ``print(labkit.progress())`` in a script.
    """
    exercises = [e for number in sorted(begun or LESSONS) for e in lesson(number).EXERCISES]
    done = sum(state(e.id) == "right" for e in exercises)
    return Card(f"{done} of {len(exercises)} exercises right", "\n".join(map(_row, exercises)))


def _row(exercise: Exercise) -> str:
    now, took = state(exercise.id), effort(exercise.id)
    return f"{_MARKS[now]} {exercise.id} {exercise.title}: {now}" + (f" ({took})" if took else "")
