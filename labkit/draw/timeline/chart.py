"""The lanes of a timeline: a lane a device, a box a process, time from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labkit.draw.items import width
from labkit.draw.layout import Box, Node
from labkit.draw.svg import group, moved, path, rect, text
from labkit.draw.timeline.bars import bar
from labkit.facts import Process, Timeline
from labkit.text.durations import ticks
from labkit.text.letters import COLOURS, letter
from labkit.text.timeline import lane_words
from labkit.text.timeline_blocks import Block, Window, blocks

AXIS, MEET, HEAD, FOOT, BETWEEN = 18.0, 20.0, 22.0, 6.0, 8.0
"""Heights: time axis, letters of collectives, a process's name, under its lanes, between boxes."""

TICK = 90.0
"""Pixels between the times on the axis, about."""


@dataclass(frozen=True, eq=False)
class Chart:
    """Where everything stands.

    Attributes:
        timeline: what is drawn.
        window: the part of it, and how wide that is.
        boxes: process → its box.
        lanes: device → where the window lies in its lane.
        blocks: device → what is drawn in its lane.
        meets: number of a collective → x of when its last device had come.
    """

    timeline: Timeline
    window: Window
    boxes: dict[int, Box]
    lanes: dict[str, Box]
    blocks: dict[str, list[Block]]
    meets: dict[int, float]


def chart(
    timeline: Timeline, span: tuple[int, int], processes: Sequence[Process], wide: float
) -> Node:
    """The lanes as one node, as wide as it may be."""
    labels = [device.label for process in processes for device in process.devices]
    left = max((width(label, "small") for label in labels), default=0) + 20
    window = Window(*span, wide - left - 14)
    drawn = {lane.device: blocks(lane, window) for lane in timeline.lanes}
    meets = dict(_meets(timeline, window, left, drawn))
    boxes, lanes = _places(processes, left, window.width, AXIS + (MEET if meets else 4))
    high = max((box.bottom for box in boxes.values()), default=AXIS)
    return Node(wide, high, Chart(timeline, window, boxes, lanes, drawn, meets))


def _places(
    processes: Sequence[Process], left: float, wide: float, y: float
) -> tuple[dict[int, Box], dict[str, Box]]:
    total = sum(len(process.devices) for process in processes)
    high, gap = (20.0, 4.0) if total <= 16 else (12.0, 2.0)
    boxes, lanes = {}, {}
    for process in processes:
        tall = HEAD + len(process.devices) * (high + gap) - gap + FOOT
        boxes[process.index] = Box(0, y, left + wide + 14, tall)
        for place, device in enumerate(process.devices):
            lanes[device.label] = Box(left, y + HEAD + place * (high + gap), wide, high)
        y += tall + BETWEEN
    return boxes, lanes


def _meets(
    timeline: Timeline, window: Window, left: float, drawn: dict[str, list[Block]]
) -> Iterator[tuple[int, float]]:
    """Of collectives that are drawn on their own, those that waited longest have their place."""
    alone = {block.works[0].collective: 0 for row in drawn.values() for block in row if block.alone}
    longest = {
        number: timeline.collectives[number].complete - min(timeline.collectives[number].came)
        for number in alone
        if number is not None
    }
    taken: list[float] = []
    for number in sorted(longest, key=lambda number: (-longest[number], number)):
        joined = timeline.collectives[number]
        x, half = left + window.at(joined.complete), _half(number)
        inside = window.start <= joined.complete <= window.end
        free = all(abs(x - other) > half + 10 for other in taken)
        if inside and free and len(joined.devices) > 1 and not joined.apart:
            taken.append(x)
            yield number, x


def _half(number: int) -> float:
    return width(letter(number), "code") / 2 + 5


# --- marks ---


def paint_chart(chart: Chart, at: Box) -> str:
    """The SVG of a chart at its place."""
    body = "".join([*_boxes(chart), *_axis(chart), *_lanes(chart), *_lines(chart), *_names(chart)])
    return moved(at.x, at.y, body)


def _boxes(chart: Chart) -> Iterator[str]:
    for index, box in chart.boxes.items():
        yield group("lk-process", rect(box, "lk-box", 10), process=str(index))


def _names(chart: Chart) -> Iterator[str]:
    for index, box in chart.boxes.items():
        yield text(box.x + 9, box.y + HEAD / 2 + 1, f"process {index}", "lk-head")


def _axis(chart: Chart) -> Iterator[str]:
    window, left = chart.window, min((box.x for box in chart.lanes.values()), default=0)
    for time, line in ticks(window.start, window.end, max(int(window.width // TICK), 1)):
        x, half = left + window.at(time), width(line, "note") / 2
        yield text(min(x, left + window.width + 12 - half), AXIS / 2, line, "lk-note", "middle")
        for box in chart.boxes.values():
            yield path([(x, box.y + HEAD - 3), (x, box.bottom - FOOT + 3)], "lk-grid")


def _lanes(chart: Chart) -> Iterator[str]:
    # the title is what a screen reader says of a lane that is reached by key
    told = {e.device: lane_words(e, chart.timeline, chart.window) for e in chart.timeline.lanes}
    for device, lane in chart.lanes.items():
        row = chart.blocks.get(device, [])
        marks = [bar(block, chart.timeline, chart.window, lane) for block in row]
        name = text(lane.x - 8, lane.cy, device, "lk-small", "end")
        track = path([(lane.x, lane.cy), (lane.right, lane.cy)], "lk-track")
        body = name + track + "".join(marks)
        yield group("lk-lane", body, told.get(device, device), device=device)


def _lines(chart: Chart) -> Iterator[str]:
    """A line through all devices of a collective where the last of them came, under its letter."""
    first = min((box.y for box in chart.lanes.values()), default=0)
    for number, x in chart.meets.items():
        joined = chart.timeline.collectives[number]
        members = [chart.lanes[device] for device in joined.devices]
        high, low = min(box.y for box in members), max(box.bottom for box in members)
        top = AXIS + MEET - 2 if high == first else high - 2
        line = path([(x, top), (x, low + 2)], "lk-line lk-line-group")
        wide = 2 * _half(number)
        pill = Box(x - wide / 2, AXIS, wide, 16)
        mark = text(pill.cx, pill.cy, letter(number), "lk-letter", "middle")
        title = f"{joined.op} {letter(number)}: {joined.last} came last"
        body = line + rect(pill, "lk-chip", 8) + mark
        yield group(f"lk-meet lk-c{number % COLOURS}", body, title, slice=letter(number))
