"""The picture of a cell's timeline: who waited for whom, the lanes, what the marks mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labkit.draw.frame import MARGIN, WIDTH, Own, framed, own_below
from labkit.draw.items import label, sentence
from labkit.draw.layout import Box, Node, column, flow, row
from labkit.draw.picture import Picture
from labkit.draw.svg import group, hatch, rect
from labkit.draw.timeline.chart import Chart, chart, paint_chart
from labkit.facts import Process, Timeline
from labkit.text.timeline import story, timeline_text
from labkit.text.timeline_blocks import Window

LEAST = 1_000
"""Nanoseconds: a window is not shorter."""

KEYS = {
    "wait": "waits until the last device has come (dotted line)",
    "chip": "a collective; its letter is the same on every device",
    "work": "another operation",
    "many": "programs too short to be shown apart",
    "unseen": "not recorded: from its launch to the end of the others",
}


def timeline(
    timeline: Timeline,
    processes: Sequence[Process],
    window: tuple[int, int] | None = None,
    why: str = "",
    width: float = WIDTH,
    told: bool = True,
) -> Picture:
    """Each device's operations over time; collectives lettered, waiting in grey.

    Args:
        timeline: the facts.
        processes: the processes, in order.
        window: from when to when, in nanoseconds; None for the whole.
        why: why no number of the cell may be trusted; empty when they may.
        width: how wide it is, in pixels.
        told: whether who waited for whom stands over the lanes in sentences.
    """
    start, end = window or (0, timeline.length)
    span = start, max(end, start + LEAST)
    wide = width - 2 * MARGIN
    text = timeline_text(timeline, processes, Window(*span, 600), why)
    lanes = chart(timeline, span, processes, wide)
    lines = story(timeline, Window(*span, 600)) if told else []
    sentences = [sentence(line, "words", wide) for line in lines]
    notes = [sentence(line, "note", wide) for line in (*_nothing(timeline), *timeline.notes)]
    parts = [column(sentences, 2)] * bool(sentences) + [lanes, _legend(lanes.item, wide)]
    body = column(parts + [column(notes, 2)] * bool(notes), 8)
    return framed(body, why, text, own_below(_paint), width)


def _nothing(timeline: Timeline) -> list[str]:
    nothing = not any(lane.works for lane in timeline.lanes)
    return ["Nothing ran on the devices, as far as was recorded."] if nothing else []


def _legend(chart: Chart, wide: float) -> Node:
    """What the marks mean, of those there are."""
    found = dict.fromkeys(kind for kind in KEYS if kind in set(_kinds(chart)))
    keys = [row([Node(22, 12, Own(kind)), label(KEYS[kind], "note")], 6, 0.5) for kind in found]
    return flow(keys, wide, 16)


def _kinds(chart: Chart) -> Iterator[str]:
    for blocks in chart.blocks.values():
        for block in blocks:
            first = block.works[0]
            if not block.alone:
                yield "many"
                continue
            yield "work" if first.collective is None else "chip"
            if chart.timeline.waited(first):
                yield "wait"
            if not first.seen:
                yield "unseen"


def _paint(item: object, box: Box) -> str:
    if isinstance(item, Chart):
        return paint_chart(item, box)
    shown = {"unseen": "lk-rim", "chip": "lk-chip lk-key"}.get(item.kind, f"lk-{item.kind}")
    marks = rect(box, shown, 2) + (hatch(box, "lk-hatch", 5) if item.kind == "wait" else "")
    return group("lk-unseen", marks) if item.kind == "unseen" else marks
