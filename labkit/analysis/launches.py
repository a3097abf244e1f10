"""Which launches of several processes are one: a program launched together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labkit import facts
from labkit.facts.labels import process_of


@dataclass(frozen=True)
class Start:
    """What a launch says of its operations.

    Attributes:
        key: equal in all processes that launched the program together.
        line: the line of the cell, 0 if unknown.
        size: on how many devices it runs.
    """

    key: Any
    line: int = 0
    size: int = 1


Starts = Mapping[tuple[int, int], Start]
"""Process and run id → what the launch says."""


def starts(seen: Sequence[facts.Flight]) -> dict[tuple[int, int], Start]:
    """Every launch of a cell.

    Equal run ids are one launch. One program can have different ids, where processes compiled
    it a little differently: what is left over is paired in order, if all launched equally many.
    """
    found = {}
    keys = _keys(seen)
    for flight in seen:
        for launch in flight.launches:
            run = flight.process, launch.run_id
            found[run] = Start(keys.get(run, run), launch.line, launch.partitions)
    return found


def of(found: Starts, bar: facts.DeviceOp) -> Start:
    """What the launch of an operation says; of programs on one device nothing is known."""
    run = process_of(bar.device), bar.run_id
    return found.get(run, Start(run))


def _keys(seen: Sequence[facts.Flight]) -> dict[tuple[int, int], Any]:
    """Keys of the launches that several processes share."""
    across = {f.process: {n.run_id: n for n in f.launches if n.spans} for f in seen}
    often = Counter(run_id for own in across.values() for run_id in own)
    keys = {(p, run_id): run_id for p, own in across.items() for run_id in own if often[run_id] > 1}
    left = {p: [n for n in own.values() if often[n.run_id] < 2] for p, own in across.items()}
    for size in {launch.partitions for own in left.values() for launch in own}:
        alike = {p: [n for n in own if n.partitions == size] for p, own in left.items()}
        keys |= dict(_in_order(size, {p: own for p, own in alike.items() if own}))
    return keys


def _in_order(size: int, own: Mapping[int, Sequence[facts.Launch]]) -> Iterator[tuple[Any, Any]]:
    """The n-th launch of each process over so many devices is one, if all have equally many."""
    if len({len(launches) for launches in own.values()}) == 1:
        for process, launches in own.items():
            for place, launch in enumerate(launches):
                yield (process, launch.run_id), (size, place)
