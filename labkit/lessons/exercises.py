"""check and hint: what the learner built, against what the processes really hold."""

from __future__ import annotations

from typing import Any

from labkit.errors import LabError, NotArrived, ProcessLost, Unsafe
from labkit.lessons import score
from labkit.lessons.cards import Card
from labkit.lessons.catalog import Exercise, exercise
from labkit.lessons.lab_queries import NotAttempted, Wrong, running

_HEADS = {
    "right": "Right",
    "wrong": "Not yet right",
    "error": "An error",
    "hung": "Hung",
    "not attempted": "Not attempted yet",
}


def check(id: str, lab: Any = None) -> Card:
    """Whether an exercise is solved, judged by the values in the running processes.

    Args:
        id: lesson and number, ``"01.2"``.
        lab: the lab to look at; the running one by default.

    Returns:
        A card whose ``status`` is ``"right"``, ``"wrong"``, ``"error"``, ``"hung"`` or
        ``"not attempted"``. It never raises for what the learner's code did, and a check
        that did not come to its end is ``"hung"``, never right.

    Raises:
        LabError: there is no such exercise.
    """
    asked = exercise(id)
    score.begun.add(id[:2])
    status, text = _verdict(asked, lab)
    if status != "not attempted":
        score.tries.setdefault(id, []).append(status)
    if status == "right":
        text = f"{asked.title}: {score.effort(id)}."
    return Card(f"{id} · {_HEADS[status]}", text, status)


def _verdict(asked: Exercise, lab: Any) -> tuple[str, str]:
    stuck = f'Stuck? `labkit.hint("{asked.id}")` gives one hint at a time.'
    try:
        asked.check(running(lab))
    except NotAttempted as untouched:
        return "not attempted", f"{untouched} Fill in the stub, run it, then check again.\n{stuck}"
    except Wrong as wrong:
        return "wrong", f"{wrong}\n{stuck}"
    except (NotArrived, Unsafe, ProcessLost, KeyboardInterrupt) as stopped:
        reason = str(stopped) or "the check was interrupted."
        return "hung", f"{reason}\n`lab.reset()` makes the lab ready; then run your cells again."
    except LabError as error:
        return "error", f"{error}\n{stuck}"
    except Exception as error:  # whatever the learner made, a check ends with a verdict
        return "error", f"The check could not read it: {type(error).__name__}: {error}\n{stuck}"
    return "right", ""


def hint(id: str) -> Card:
    """The next hint for an exercise; each call gives one more, in order.

    Args:
        id: lesson and number, ``"01.2"``.

    Returns:
        A card with the hint. After the last one it is shown again, with where to look next.

    Raises:
        LabError: there is no such exercise.
    """
    hints = exercise(id).hints
    number = min(score.hinted.get(id, 0) + 1, len(hints))
    score.hinted[id] = number
    score.begun.add(id[:2])
    last = number == len(hints)
    after = "That was the last one; a solution is folded below the check." if last else ""
    return Card(f"{id} · Hint {number} of {len(hints)}", f"{hints[number - 1]}\n{after}".rstrip())
