"""Why somebody waits, in a learner's words: read from the rows of a roll call."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.facts import ProcessStatus, RollCall
from labkit.text.words import process_names

_WAITS = ("waiting", "finishing")


def cause(rows: Sequence[ProcessStatus]) -> str:
    """One sentence with the likely cause; empty while nobody waits for somebody."""
    waiting = [row for row in rows if row.state in _WAITS]
    others = [row for row in rows if row.state not in (*_WAITS, "idle")]
    if not waiting:
        return ""
    if others:
        return " ".join(_absent(row, waiting[0]) for row in others)
    if len(waiting) == 1:
        return f"{_subject(waiting[0])} waits alone {_place(waiting[0])}."
    return _all_wait(waiting)


def _absent(row: ProcessStatus, waiting: ProcessStatus) -> str:
    """Why one process is not where another waits."""
    there = _place(waiting)
    return {
        "ended": f"{_subject(row)} never came to what process {waiting.process} waits for {there}.",
        "failed": f"{_subject(row)} ended with {row.how} and will not come {there}.",
        "gone": f"{_subject(row)} is gone ({row.how}) and will not come {there}.",
        "running": f"{_subject(row)} is still {_place(row)}, "
        f"process {waiting.process} waits for it {there}.",
    }[row.state]


def _all_wait(waiting: Sequence[ProcessStatus]) -> str:
    places = {(row.line, row.state) for row in waiting}
    if len(places) == 1:
        return f"All wait {_place(waiting[0])}: they may have called different collectives there."
    said = ", ".join(f"process {row.process} {_place(row)}" for row in waiting)
    return f"They wait in different places, for collectives that do not match: {said}."


def _subject(row: ProcessStatus) -> str:
    return process_names([row.process]).capitalize()


def _place(row: ProcessStatus) -> str:
    if row.state == "finishing":
        return "at the end of its cell"
    return f"in line {row.line}" if row.line else "in the cell"


def roll_call_text(roll: RollCall) -> str:
    """Where every process is, one line each, under the likely cause."""
    lines = [f"process {line.process} {line.words}" for line in roll]
    return "\n".join([*[roll.cell] * bool(roll.cell), *[roll.cause] * bool(roll.cause), *lines])
