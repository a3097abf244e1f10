"""What each process read and holds, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from labkit.facts import RowsRead
from labkit.text.durations import duration
from labkit.text.words import count as counted


def cost_words(line: RowsRead) -> str:
    """``"64 bytes, 1.2 ms"``."""
    strange = line.rows.count(None)
    told = [counted(line.nbytes, "byte")] * (line.seconds is not None)
    told += [duration(1e9 * line.seconds)] if line.seconds else []
    told += [f"{strange} not of the file"] * bool(strange)
    return ", ".join(told)


def load_text(lines: Sequence[RowsRead]) -> str:
    """One line each: ``"process 0  rows 0-3  64 bytes, 1.2 ms"``."""
    wide = max(len(line.who) for line in lines)
    told = ((line.who.ljust(wide), rows_text(line.rows), cost_words(line)) for line in lines)
    return "\n".join("  ".join(part for part in parts if part) for parts in told)


def rows_text(rows: Sequence[int | None]) -> str:
    """``"rows 0-3, 5"``, ``"rows 0-3 4×"`` where each is there four times, ``"no rows"``."""
    times = Counter(row for row in rows if row is not None)
    if not times:
        return "no rows"
    runs: list[list[int]] = []
    for number in sorted(times):
        if not (runs and number == runs[-1][-1] + 1 and times[number] == times[runs[-1][0]]):
            runs.append([])
        runs[-1].append(number)
    return ("row " if len(times) == 1 else "rows ") + ", ".join(_run(r, times[r[0]]) for r in runs)


def _run(run: Sequence[int], times: int) -> str:
    span = str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"
    return f"{span} {times}×" if times > 1 else span
