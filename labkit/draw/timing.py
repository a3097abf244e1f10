"""Calls that were compared: a strip a call, a dot a round, a box around the middle half."""

from __future__ import annotations

from collections.abc import Iterator

from labkit.draw.frame import MARGIN, WIDTH, framed, own_below
from labkit.draw.items import sentence, width
from labkit.draw.layout import Box, Node, column
from labkit.draw.picture import Picture
from labkit.draw.svg import circle, group, path, rect, text
from labkit.facts import TimedCall, Timing
from labkit.text.durations import ticks
from labkit.text.timing import LONGEST, measured_text, rounds_words, verdicts, way_words
from labkit.text.words import count, short

AXIS, NAME, STRIP, GAP = 20.0, 20.0, 18.0, 12.0
"""Heights: time axis, a call's name, its strip, between two calls."""

TICK = 90.0

HOW = "a dot a round · a box around the middle half of them · a line at the median"


def measured(measured: Timing, wide: float = WIDTH) -> Picture:
    """How long each call took, round by round, on one scale that begins at 0.

    Args:
        measured: the facts.
        wide: how wide the picture is, in pixels.
    """
    inner = wide - 2 * MARGIN
    high = AXIS + len(measured.ways) * (NAME + STRIP + GAP)
    told = [sentence(line, "words", inner) for line in verdicts(measured)]
    notes = [sentence(line, "note", inner) for line in (HOW, rounds_words(measured))]
    body = column([Node(inner, high, measured), column(told, 3), column(notes, 2)], 8)
    return framed(body, measured.why, measured_text(measured), own_below(_paint), wide)


# --- in words ---


# --- marks ---


def _end(measured: Timing) -> float:
    """Seconds at the right edge: a few rounds may lie beyond it, or nothing else would be seen."""
    ends = (high + 2 * (high - low) for low, high in (way.middle for way in measured.ways))
    longest = max(max(way.rounds) for way in measured.ways)
    return min(longest, max(ends)) or 1e-9


def _paint(measured: object, box: Box) -> str:
    assert isinstance(measured, Timing)
    strip = Box(box.x + 6, 0, box.w - 12, STRIP)
    end, y = _end(measured), box.y + AXIS
    parts = list(_axis(end, strip, box))
    for way in measured.ways:
        parts.append(_way(way, end, Box(strip.x, y + NAME, strip.w, STRIP)))
        y += NAME + STRIP + GAP
    return "".join(parts)


def _axis(end: float, strip: Box, box: Box) -> Iterator[str]:
    for time, line in ticks(0, round(end * 1e9), max(int(strip.w // TICK), 1)):
        x, half = strip.x + time / 1e9 / end * strip.w, width(line, "note") / 2
        middle = min(max(x, box.x + half), box.right - half)
        yield text(middle, box.y + AXIS / 2, line, "lk-note", "middle")
        yield path([(x, box.y + AXIS), (x, box.bottom - GAP)], "lk-grid")


def _way(way: TimedCall, end: float, strip: Box) -> str:
    """A call's name, its numbers, and its strip."""
    at = [strip.x + seconds / end * strip.w for seconds in (*way.middle, way.median)]
    box = Box(at[0], strip.y, max(at[1] - at[0], 2), strip.h)
    beyond = sum(seconds > end for seconds in way.rounds)
    more = f"; {count(beyond, 'round')} beyond" if beyond else ""
    y = strip.y - NAME / 2
    parts = [
        text(strip.x, y, short(way.expression, LONGEST), "lk-code"),
        text(strip.right, y, way_words(way) + more, "lk-note", "end"),
        path([(strip.x, strip.cy), (strip.right, strip.cy)], "lk-track"),
        rect(box, "lk-middle", 2),
        *_dots(way, end, strip),
        path([(at[2], strip.y - 2), (at[2], strip.bottom + 2)], "lk-line"),
    ]
    return group("lk-way", "".join(parts), f"{way.expression}: {way_words(way)}{more}")


def _dots(way: TimedCall, end: float, strip: Box) -> Iterator[str]:
    """A dot a round, the first ones above and the last ones below."""
    for number, seconds in enumerate(way.rounds):
        if seconds <= end:
            down = (number + 0.5) / len(way.rounds) * (strip.h - 6) + 3
            yield circle(strip.x + seconds / end * strip.w, strip.y + down, 2.2, "lk-dot")
