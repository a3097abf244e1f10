"""A timeline on the stage: the whole cell, then the moment of each collective."""

from __future__ import annotations

from collections.abc import Sequence

from labkit import draw
from labkit.facts import Process, Scene, Timeline
from labkit.text.durations import duration
from labkit.text.letters import letter
from labkit.text.timeline import story
from labkit.text.timeline_blocks import Window
from labkit.text.words import count
from labkit.widgets.stage import Stage

MOST = 11
"""Collectives that get a scene of their own; those that waited longest."""

WIDTH = 660
LEAST = 20_000
"""Nanoseconds around the moment when the last device came, at least."""

NOBODY = "Nobody waited long for anybody."


def stage(
    timeline: Timeline, processes: Sequence[Process], source: str = "", why: str = ""
) -> Stage:
    """A stage that zooms from the whole cell to each collective.

    Args:
        timeline: the facts.
        processes: the processes, in order.
        source: the cell, to show the line of each collective.
        why: why no number of the cell may be trusted; empty when they may.
    """
    return Stage(scenes(timeline, processes, source), why=why)


def scenes(timeline: Timeline, processes: Sequence[Process], source: str = "") -> list[Scene]:
    """One scene for the whole, and one for each collective that is better seen from near."""
    told = " ".join(story(timeline, Window(0, max(timeline.length, 1), WIDTH))) or NOBODY
    whole = draw.timeline(timeline, processes, width=WIDTH, told=False)
    return [
        Scene("the whole cell", whole.unlabelled, told, whole.text, source.rstrip()),
        *(_near(timeline, number, processes, source.rstrip()) for number in _chosen(timeline)),
    ]


def _near(timeline: Timeline, number: int, processes: Sequence[Process], source: str) -> Scene:
    joined = timeline.collectives[number]
    picture = draw.timeline(timeline, processes, _window(timeline, number), width=WIDTH, told=False)
    line = joined.line if joined.line <= source.count("\n") + 1 and source else 0
    title = f"{joined.op} {letter(number)}"
    return Scene(title, picture.unlabelled, _caption(timeline, number), picture.text, source, line)


def _caption(timeline: Timeline, number: int) -> str:
    joined = timeline.collectives[number]
    devices = count(len(joined.devices), "device")
    first, last = joined.devices[joined.came.index(min(joined.came))], joined.last
    spread = duration(joined.complete - min(joined.came))
    came = f"{first} came first, {last} last, {spread} later." if first != last else ""
    took = "" if joined.apart else f"It took {duration(_work(timeline, number))} from then on."
    return " ".join(part for part in (f"{joined.op} on {devices}.", came, took) if part)


def _work(timeline: Timeline, number: int) -> int:
    """How long a collective went on after the last device had come."""
    joined = timeline.collectives[number]
    ends = [timeline.length if left is None else left for left in joined.left]
    return max(*ends, joined.complete) - joined.complete


def _window(timeline: Timeline, number: int) -> tuple[int, int]:
    """Around the moment when the last device came, wide enough to see who came before."""
    joined = timeline.collectives[number]
    half = max(2 * _work(timeline, number), LEAST)
    if joined.apart:
        half = max(half, joined.complete - min(joined.came))
    return max(joined.complete - half, 0), joined.complete + half


def _chosen(timeline: Timeline) -> list[int]:
    """In order of time; none that fills most of the cell anyway."""
    near = []
    for number, joined in enumerate(timeline.collectives):
        start, end = _window(timeline, number)
        if len(joined.devices) > 1 and end - start < timeline.length / 2:
            near.append(number)
    waited = {n: timeline.collectives[n].complete - min(timeline.collectives[n].came) for n in near}
    return sorted(sorted(near, key=lambda n: -waited[n])[:MOST])
