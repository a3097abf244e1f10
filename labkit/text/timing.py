"""Times of calls in words."""

from __future__ import annotations

from labkit.facts import TimedCall, Timing
from labkit.text.durations import duration
from labkit.text.words import band_lines, count, short

LONGEST = 48  # letters of an expression


def measured_text(measured: Timing) -> str:
    """The same as lines: one a call, then how they compare."""
    rows = [f"{way.expression}: {way_words(way)}" for way in measured.ways]
    return "\n".join(
        [*band_lines(measured.why), *rows, *verdicts(measured), rounds_words(measured)]
    )


def rounds_words(measured: Timing) -> str:
    """How it was measured."""
    first = measured.ways[0]
    where = count(len(first.laps), "process", "processes")
    return (
        f"{count(len(first.rounds), 'round')} in {where}, the calls in turn; "
        "a round counts as long as the slowest process took"
    )


def verdicts(measured: Timing) -> list[str]:
    """Every other call held against the first, in a sentence."""
    first, *others = measured.ways
    return [_verdict(way, first) for way in others]


def _verdict(way: TimedCall, first: TimedCall) -> str:
    ratio = way.median / first.median
    times = f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"
    name, base = short(way.expression, LONGEST), short(first.expression, LONGEST)
    unsure = "" if way.apart(first) else "; boxes overlap: no difference shown"
    return f"{name}: {times} times as long as {base}{unsure}."


def way_words(way: TimedCall) -> str:
    """``"median 1.2 ms, half of the rounds 1.1 ms to 1.4 ms"``."""
    low, high = (_time(seconds) for seconds in way.middle)
    return f"median {_time(way.median)}, half of the rounds {low} to {high}"


def _time(seconds: float) -> str:
    return duration(seconds * 1e9)
