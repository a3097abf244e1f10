"""One operation, or one block of operations, as marks."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.draw.items import width
from labkit.draw.layout import Box
from labkit.draw.svg import group, hatch, rect, text
from labkit.facts import Timeline, Work
from labkit.text.durations import duration
from labkit.text.letters import COLOURS
from labkit.text.timeline_blocks import Block, Window, many, mark, words

THIN = 2.0
"""Pixels: the least width of anything drawn."""


def bar(block: Block, timeline: Timeline, window: Window, lane: Box) -> str:
    """A block's marks.

    Args:
        block: what to draw.
        timeline: where it comes from.
        window: the part shown.
        lane: where the window lies in the picture.
    """
    box = _box(block.start, block.end, window, lane)
    title = f"{block.device}  {words(block, timeline)}"
    if not block.alone:
        body = rect(box, "lk-many", 2) + _inside(box, [many(block), str(len(block.works))])
        return group("lk-span", body, title)
    (work,) = block.works
    title += f"\nof {work.program}" + (f", line {work.line}" if work.line else "")
    if work.collective is None:
        body = rect(box, "lk-work", 2) + _inside(box, [work.op])
        return group("lk-span" + _css(work), body, title)
    css = f"lk-span lk-c{work.collective % COLOURS}" + _css(work)
    return group(css, _joined(work, timeline, window, box), title, slice=mark(work))


def _css(work: Work) -> str:
    return " lk-open" * (work.end is None) + " lk-unseen" * (not work.seen)


def _box(start: int, end: int, window: Window, lane: Box) -> Box:
    x, right = window.at(start), window.at(end)
    wide = max(right - x, THIN)
    return Box(lane.x + min(x, window.width - wide), lane.y, wide, lane.h)


def _joined(work: Work, timeline: Timeline, window: Window, box: Box) -> str:
    """A collective: grey while it waits, then in its colour, with its letter where it fits."""
    until = window.at(work.start + timeline.waited(work))
    wait = Box(box.x, box.y, min(max(until - window.at(work.start), 0), box.w), box.h)
    parts = [rect(box, "lk-chip", 2)]
    if wait.w > 1:
        parts += [rect(wait, "lk-wait", 2), hatch(wait, "lk-hatch", 5)]
    chip = Box(box.x, box.y, width(mark(work), "code") + 8, box.h)
    room = Box(chip.right, box.y, (wait.right if wait.w > 1 else box.right) - chip.right, box.h)
    if chip.w <= box.w and box.h >= 12:
        parts.append(rect(chip, "lk-chip", 2) if wait.w > 1 else "")
        parts.append(text(chip.cx, chip.cy, mark(work), "lk-letter", "middle"))
        parts.append(_told(work, timeline, room) if wait.w > 1 else _name(work, room))
    return "".join(parts) + rect(box, "lk-rim", 2)


def _told(work: Work, timeline: Timeline, room: Box) -> str:
    """For how long it waits, on a plain ground."""
    long = duration(timeline.waited(work))
    line = _fitting(room, [f"{work.op} waits {long}", f"waits {long}", long])
    if not line:
        return ""
    ground = Box(room.x, room.y + 1, width(line, "note") + 8, room.h - 2)
    return rect(ground, "lk-wait") + text(ground.x + 4, room.cy, line, "lk-inside")


def _name(work: Work, room: Box) -> str:
    line = _fitting(room, [work.op])
    return text(room.x, room.cy, line, "lk-onbar") if line else ""


def _inside(box: Box, lines: Sequence[str]) -> str:
    line = _fitting(box, lines)
    return text(box.cx, box.cy, line, "lk-inside", "middle") if line else ""


def _fitting(room: Box, lines: Sequence[str]) -> str:
    """The first line there is room for."""
    if room.h < 12:
        return ""
    return next((line for line in lines if width(line, "note") + 8 < room.w), "")
