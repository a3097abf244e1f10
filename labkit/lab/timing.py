"""How long calls take in all processes: what is sent there, and what came back as facts."""

from __future__ import annotations

from collections.abc import Sequence

from labkit import facts
from labkit.display.results import Results


def source(expressions: Sequence[str], rounds: int) -> str:
    """The cell that measures: one call, so that it leaves no name behind."""
    call = '__import__("labkit.engine.timing").engine.timing.time_calls'
    return f"{call}({list(expressions)!r}, {rounds}, globals())"


def measured(expressions: Sequence[str], done: Results) -> facts.Timing:
    """The times of all processes, by expression."""
    laps = {process: took.tolist() for process, took in sorted(done.items())}
    return facts.Timing(
        tuple(
            facts.TimedCall(expression, {p: tuple(rows[i]) for p, rows in laps.items()})
            for i, expression in enumerate(expressions)
        ),
        done.why,
    )
