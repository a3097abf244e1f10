"""What of a timeline is drawn of its own: operations, and blocks of those too short for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labkit.facts import Lane, Timeline, Work
from labkit.facts.labels import process_of
from labkit.text.durations import duration
from labkit.text.letters import letter
from labkit.text.words import count

SMALL, CLOSE = 4.0, 2.0
"""Pixels: narrower operations are drawn together where so little lies between them."""


@dataclass(frozen=True)
class Window:
    """The part of a timeline that is shown, in nanoseconds, and how wide it is in pixels."""

    start: int
    end: int
    width: float

    def at(self, time: int) -> float:
        """Pixels from the left edge, within the window."""
        inside = min(max(time, self.start), self.end) - self.start
        return inside / (self.end - self.start) * self.width


@dataclass(frozen=True)
class Block:
    """One operation of a device, or several that are too short to be told apart."""

    device: str
    works: tuple[Work, ...]
    start: int
    end: int

    @property
    def alone(self) -> bool:
        """Whether it is one operation."""
        return len(self.works) == 1


def blocks(lane: Lane, window: Window) -> list[Block]:
    """What to draw of a lane, in order of time; only what lies in the window."""
    inside = [_block(lane.device, (work,), window) for work in lane.works]
    inside = [b for b in inside if b.end >= window.start and b.start <= window.end]
    return [block for run in _runs(inside, window) for block in _drawn(run, window)]


def _block(device: str, works: Sequence[Work], window: Window) -> Block:
    ends = [window.end if work.end is None else work.end for work in works]
    return Block(device, tuple(works), min(work.start for work in works), max(ends))


def _runs(inside: Sequence[Block], window: Window) -> Iterator[list[Block]]:
    """Neighbours that are all small and close together, or one that is not."""
    run: list[Block] = []
    for block in inside:
        small = window.at(block.end) - window.at(block.start) < SMALL
        if run and not (small and window.at(block.start) - window.at(run[-1].end) < CLOSE):
            yield run
            run = []
        run.append(block)
        if not small:
            yield run
            run = []
    if run:
        yield run


def _drawn(run: Sequence[Block], window: Window) -> list[Block]:
    if len(run) < 3:
        return list(run)
    return [_block(run[0].device, [work for block in run for work in block.works], window)]


# --- in words ---


def mark(work: Work) -> str:
    """The letter of its collective; empty where it is none."""
    return "" if work.collective is None else letter(work.collective)


def many(block: Block) -> str:
    """``"12 programs"``; of one alone, ``"5 operations"``."""
    programs = len({work.run for work in block.works})
    return count(programs, "program") if programs > 1 else count(len(block.works), "operation")


def words(block: Block, timeline: Timeline) -> str:
    """``"psum A 590 ms (waited 584 ms for process 1)"``."""
    if not block.alone:
        return _many_words(block, timeline)
    (work,) = block.works
    name = " ".join(part for part in (work.op, mark(work)) if part)
    long = "not ended" if work.end is None else duration(work.end - work.start)
    told = [waited] if (waited := waited_words(block.device, work, timeline)) else []
    told += _seen_of(work, timeline)
    told += [] if work.seen else ["not recorded: from its launch to the end of the others"]
    return f"{name} {long}" + (f" ({'; '.join(told)})" if told else "")


def _many_words(block: Block, timeline: Timeline) -> str:
    waited = sum(timeline.waited(work) for work in block.works)
    joins = sum(work.collective is not None for work in block.works)
    told = [count(len(block.works), "operation")] if many(block).endswith("programs") else []
    told += [count(joins, "collective")] if joins else []
    told += [f"waited {duration(waited)} in all"] if waited else []
    long = f"{many(block)} in {duration(block.end - block.start)}"
    return f"{long} ({', '.join(told)})" if told else long


def _seen_of(work: Work, timeline: Timeline) -> list[str]:
    """That some of a collective's devices are not here, where it has ended nevertheless."""
    joined = None if work.collective is None else timeline.collectives[work.collective]
    if joined is None or work.end is None or len(joined.devices) >= joined.size:
        return []
    return [f"{len(joined.devices)} of {joined.size} devices recorded"]


def waited_words(device: str, work: Work, timeline: Timeline) -> str:
    """``"waited 584 ms for process 1"``; empty where an operation did not wait."""
    waited = timeline.waited(work)
    verb = "waits" if work.end is None else "waited"
    return f"{verb} {duration(waited)} for {whom(device, work, timeline)}" if waited else ""


def whom(device: str, work: Work, timeline: Timeline) -> str:
    """For whom an operation waited: ``"process 1"``; a device where it is of the same process."""
    joined = timeline.collectives[work.collective]
    if work.end is None and len(joined.devices) < joined.size:
        return f"others, {len(joined.devices)} of {joined.size} devices came"
    last = process_of(joined.last)
    return joined.last if last == process_of(device) else f"process {last}"
