"""From the flights of a cell to its timeline: who did what when, and who waited for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labkit import facts
from labkit.analysis import flight_recorder
from labkit.analysis.launches import Starts, of, starts
from labkit.facts.labels import label_order


def timeline(seen: Sequence[facts.Flight], processes: Sequence[facts.Process]) -> facts.Timeline:
    """The timeline of a cell.

    Args:
        seen: the flights of the processes that ran it, with the clocks of one machine.
        processes: all processes of the lab, in order.
    """
    found = starts(seen)
    missed = set(_missed(seen, processes, found))
    bars = sorted([*(b for f in seen for b in f.bars), *missed], key=lambda bar: bar.start)
    zero = min([*(b.start for b in bars), *(n.start for f in seen for n in f.launches)], default=0)
    groups = _groups(bars, found)
    numbers = {bar: number for number, group in enumerate(groups) for bar in group}
    lanes = {device.label: [] for process in processes for device in process.devices}
    for bar in bars:
        work = _work(bar, zero, of(found, bar).line, numbers.get(bar), bar not in missed)
        lanes.setdefault(bar.device, []).append(work)
    collectives = tuple(_collective(group, zero, found) for group in groups)
    return facts.Timeline(
        tuple(facts.Lane(device, tuple(works)) for device, works in lanes.items()),
        collectives,
        max((bar.end or bar.start for bar in bars), default=zero) - zero,
        (*_notes(seen, processes), *_unknown(collectives)),
    )


def _work(bar: facts.DeviceOp, zero: int, line: int, number: int | None, seen: bool) -> facts.Work:
    start, end = bar.start - zero, None if bar.end is None else bar.end - zero
    return facts.Work(
        flight_recorder.kind(bar.op), bar.program, bar.run_id, line, start, end, number, seen
    )


# --- what the recorder missed ---


def _missed(
    seen: Sequence[facts.Flight], processes: Sequence[facts.Process], found: Starts
) -> Iterator[facts.DeviceOp]:
    """A bar on each device of a launch of which no operation was recorded.

    Operations are recorded when they end: one that goes on has none, nor has one that was going
    on while the recorder was read.
    """
    own = {process.index: process.devices for process in processes}
    alike: dict[Any, list[facts.DeviceOp]] = {}
    for bar in (bar for flight in seen for bar in flight.bars):
        alike.setdefault(of(found, bar).key, []).append(bar)
    for flight in seen:
        recorded, free = {bar.run_id for bar in flight.bars}, _free(flight)
        for launch in flight.launches:
            devices = own.get(flight.process, ())
            if launch.run_id in recorded or len(devices) != launch.devices:
                continue  # of a launch on some of its devices nobody says on which
            others = alike.get(found[flight.process, launch.run_id].key, [])
            for device in devices:
                start = max(launch.start, free.get((launch.run_id, device.label), 0))
                yield _guess(launch, device.label, start, others)


def _free(flight: facts.Flight) -> dict[tuple[int, str], int]:
    """Run id and device → when the device had ended what was launched before."""
    ends: dict[int, dict[str, int]] = {}
    for bar in flight.bars:
        ends.setdefault(bar.run_id, {})[bar.device] = bar.end or bar.start
    last: dict[str, int] = {}
    found = {}
    for launch in flight.launches:
        found |= {(launch.run_id, device): end for device, end in last.items()}
        last |= ends.get(launch.run_id, {})
    return found


def _guess(
    launch: facts.Launch, device: str, start: int, others: Sequence[facts.DeviceOp]
) -> facts.DeviceOp:
    """From when the device could begin to when the same launch ended on other devices."""
    ends = [bar.end for bar in others]
    joins = [bar for bar in others if flight_recorder.is_collective(bar.op)]
    once = len({bar.op for bar in joins}) == 1 and len({b.device for b in joins}) == len(joins)
    end = max(start, *ends) if ends and None not in ends else None
    op = joins[0].op if once else launch.program
    together = once and len({bar.group for bar in joins}) == 1
    group = (joins[0].group, joins[0].size) if together else (-1, 0)
    return facts.DeviceOp(device, op, launch.program, launch.run_id, start, end, *group)


# --- collectives ---


def _groups(bars: Sequence[facts.DeviceOp], found: Starts) -> list[list[facts.DeviceOp]]:
    """The bars of each collective, in order of their first."""
    joins = [(bar, _which(bar, found)) for bar in bars if flight_recorder.is_collective(bar.op)]
    uneven = _uneven(Counter((bar.device, which) for bar, which in joins))
    nth: Counter[Any] = Counter()
    groups: dict[Any, list[facts.DeviceOp]] = {}
    for bar, which in joins:
        nth[bar.device, which] += 1
        own = bar.device if which in uneven else ""
        groups.setdefault((which, nth[bar.device, which], own), []).append(bar)
    return list(groups.values())


def _which(bar: facts.DeviceOp, found: Starts) -> tuple[Any, str, int]:
    """The same for all that one operation of one launch joins."""
    return of(found, bar).key, bar.op, bar.group


def _uneven(counts: Mapping[tuple[str, Any], int]) -> set[Any]:
    """Collectives that some devices ran more often than others, as far as was recorded.

    Which of a device's belongs to which of another's cannot be told then.
    """
    often: dict[Any, set[int]] = {}
    for (_, which), number in counts.items():
        often.setdefault(which, set()).add(number)
    return {which for which, numbers in often.items() if len(numbers) > 1}


def _collective(group: Sequence[facts.DeviceOp], zero: int, found: Starts) -> facts.CollectiveRun:
    ordered = sorted(group, key=lambda bar: label_order(bar.device))
    launches = [of(found, bar) for bar in ordered]
    return facts.CollectiveRun(
        flight_recorder.kind(group[0].op),
        max(launch.line for launch in launches),
        tuple(bar.device for bar in ordered),
        tuple(bar.start - zero for bar in ordered),
        tuple(None if bar.end is None else bar.end - zero for bar in ordered),
        group[0].size or max(launch.size for launch in launches),
        group[0].group >= 0 and "permute" not in group[0].op,
    )


# --- what is not here ---


def _notes(seen: Sequence[facts.Flight], processes: Sequence[facts.Process]) -> Iterator[str]:
    ran = {flight.process for flight in seen}
    for process in processes:
        if process.index not in ran:
            yield f"Process {process.index} did not run this cell."
    for flight in seen:
        if flight.yielded:
            yield (
                f"Process {flight.process} took a profile of its own, and the recorder made way: "
                "what came later is not here."
            )
        if flight.capped:
            yield f"Process {flight.process} launched very many: only the first are here."
    read = ", ".join(f"process {f.process} {_times(len(f.gaps))}" for f in seen if f.gaps)
    if read:
        yield (
            f"Where a process waits, its recorder is read now and then ({read}): "
            "what was going on just then is dashed, or missing."
        )


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _unknown(collectives: Sequence[facts.CollectiveRun]) -> Iterator[str]:
    """Why no waiting is drawn where it is not."""
    for op in sorted({joined.op for joined in collectives if not joined.joint}):
        if "permute" in op:
            yield f"In a {op} each device waits for its neighbours alone: its waiting is not drawn."
        else:
            yield f"Which devices {op} joins is not known: who waited in it is not drawn."
