"""Times in words, and where the marks of a time axis stand."""

from __future__ import annotations

UNITS = (("ns", 1), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000))


def duration(time: float) -> str:
    """``"850 ns"``, ``"1.2 µs"``, ``"586 ms"``, ``"1.2 s"``: two or three digits.

    Args:
        time: nanoseconds.
    """
    unit, size = next(((u, s) for u, s in UNITS if time < 999.5 * s), UNITS[-1])
    number = time / size
    digits = 1 if 0 < number < 9.95 and unit != "ns" else 0
    return f"{number:.{digits}f} {unit}" if time else "0 s"


def ticks(start: int, end: int, most: int) -> list[tuple[int, str]]:
    """Round times between two, at most so many, all in one unit.

    Returns:
        (nanoseconds, ``"200 ms"``) for each.
    """
    step = _step((end - start) / max(most, 1))
    times = range(-(-start // step) * step, end + 1, step)
    unit, size = next(((u, s) for u, s in reversed(UNITS) if max(times, default=0) >= s), UNITS[0])
    return [(time, _exact(time / size, step / size) + f" {unit}") for time in times]


def _step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20 ... that is not less."""
    power = 1
    while power * 10 < least:
        power *= 10
    return next((factor * power for factor in (1, 2, 5) if factor * power >= least), 10 * power)


def _exact(number: float, step: float) -> str:
    """With as many decimals as tell one mark from the next."""
    decimals = 0
    while round(step * 10**decimals, 6) % 1 and decimals < 6:
        decimals += 1
    return f"{number:.{decimals}f}"
