"""Who waited for whom, and the whole timeline, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labkit.facts import Lane, Process, Timeline, Work
from labkit.facts.labels import process_of
from labkit.text.durations import duration
from labkit.text.letters import letter
from labkit.text.timeline_blocks import Window, blocks, mark, whom, words
from labkit.text.words import band_lines, count, device_names

APART = "They did not meet there: the processes ran their collectives in different orders."
TOLD = 3  # sentences
LISTED = 12  # entries of a lane
_WORTH = 0.05  # of the window: shorter waits are not worth a sentence
_CROSSING = 1_000_000  # nanoseconds; in less, devices of one process do not start together anyway


def story(timeline: Timeline, window: Window) -> list[str]:
    """The longest waits of a window and the collectives that did not meet, in sentences."""
    inside = [
        (lane.device, work)
        for lane in timeline.lanes
        for work in lane.works
        if work.collective is not None and _within(work, window)
    ]
    apart = {w.collective for _, w in inside if timeline.collectives[w.collective].apart}
    told = [_apart(timeline, number) for number in sorted(apart)]
    tail = [APART] if told else []
    waits = _waits(timeline, inside, (window.end - window.start) * _WORTH)
    return [*_first(told), *tail, *_first(waits)]


def _within(work: Work, window: Window) -> bool:
    return work.start <= window.end and (work.end is None or work.end >= window.start)


def _first(sentences: Sequence[str]) -> list[str]:
    more = len(sentences) - TOLD
    return [*sentences[:TOLD], *([f"… and {more} more like this."] if more > 0 else [])]


def _waits(timeline: Timeline, inside: Sequence[tuple[str, Work]], least: float) -> list[str]:
    """One sentence for each collective in which a device waited long, the longest first."""
    longest: dict[int, int] = {}
    who: dict[int, list[tuple[str, Work]]] = {}
    for device, work in inside:
        waited = timeline.waited(work)
        if waited >= max(least, 1) and (waited >= _CROSSING or _others(device, work, timeline)):
            longest[work.collective] = max(waited, longest.get(work.collective, 0))
            who.setdefault(work.collective, []).append((device, work))
    return [_wait(timeline, who[n]) for n in sorted(who, key=lambda n: -longest[n])]


def _others(device: str, work: Work, timeline: Timeline) -> bool:
    return process_of(timeline.collectives[work.collective].last) != process_of(device)


def _wait(timeline: Timeline, who: Sequence[tuple[str, Work]]) -> str:
    device, work = max(who, key=lambda pair: timeline.waited(pair[1]))
    joined = timeline.collectives[work.collective]
    line = f", line {joined.line}" if joined.line else ""
    long = duration(timeline.waited(work))
    names = device_names([device for device, _ in who]).replace(" ", ", ")
    verb = "waited" if work.end is not None else "waits" if len(who) == 1 else "wait"
    what = f"{joined.op} ({mark(work)}{line})"
    return f"{names} {verb} {long} in {what} for {whom(device, work, timeline)}."


def _apart(timeline: Timeline, number: int) -> str:
    joined = timeline.collectives[number]
    left, device = min(
        (left, device)
        for left, device in zip(joined.left, joined.devices, strict=True)
        if left is not None
    )
    early = duration(joined.complete - left)
    return f"{joined.op} ({letter(number)}): {device} left {early} before {joined.last} came."


def timeline_text(
    timeline: Timeline, processes: Sequence[Process], window: Window, why: str
) -> str:
    """The timeline in words: who waited for whom, then each lane's operations in order."""
    whole = window.end - window.start >= timeline.length
    part = "" if whole else f", from {duration(window.start)} to {duration(window.end)}"
    head = (
        f"timeline of {duration(timeline.length)}{part}: {count(len(timeline.lanes), 'device')}, "
        f"{count(len(timeline.collectives), 'collective')}"
    )
    body = [line for process in processes for line in _process(timeline, process.index, window)]
    notes = timeline.notes
    return "\n".join([*band_lines(why), head, *story(timeline, window), *body, *notes])


def _process(timeline: Timeline, process: int, window: Window) -> Iterator[str]:
    yield f"process {process}"
    for lane in timeline.lanes:
        if process_of(lane.device) == process:
            yield f"  {lane_words(lane, timeline, window)}"


def lane_words(lane: Lane, timeline: Timeline, window: Window) -> str:
    """A device's operations in order: ``"p0·d0  at 0 s psum A 590 ms; at 590 ms ..."``."""
    found = blocks(lane, window)
    told = [f"at {duration(b.start)} {words(b, timeline)}" for b in found[:LISTED]]
    more = [f"… {len(found) - LISTED} more"] if len(found) > LISTED else []
    return f"{lane.device}  {'; '.join([*told, *more]) or 'nothing recorded'}"
