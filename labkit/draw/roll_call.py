"""The picture of a roll call: a box a process, what it waits for, and who is not there."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.draw.frame import MARGIN, WIDTH, Own, framed, own_below
from labkit.draw.items import Pill, label, labels, sentence, width
from labkit.draw.layout import Box, Node, column, even, grid, padded, row
from labkit.draw.picture import Picture
from labkit.draw.svg import group, hatch, rect
from labkit.facts import Process, ProcessStatus, RollCall
from labkit.text.roll_call import roll_call_text
from labkit.text.words import short

WAITS = ("waiting", "finishing")

STATES = {
    "idle": "○  is idle",
    "running": "▶  runs",
    "waiting": "…  waits",
    "finishing": "…  waits",
    "ended": "✓  has ended its cell",
    "failed": "▲  its cell failed",
    "gone": "✕  is gone",
}


def roll_call(roll: RollCall, processes: Sequence[Process] = ()) -> Picture:
    """Where every process is: who waits, in which line, for how long, and who has not come.

    Args:
        roll: the facts.
        processes: the processes, in order, for their hosts' names.
    """
    hosts = {process.index: process.host for process in processes}
    several = len(set(hosts.values())) > 1
    away = any(line.state in WAITS for line in roll)
    wide = (WIDTH - 2 * MARGIN - 12) / 2
    boxes = [
        _box(line, hosts.get(line.process, "") if several else "", away, wide) for line in roll
    ]
    top = [sentence(roll.cause, "warn", WIDTH - 2 * MARGIN)] if roll.cause else []
    body = [*labels([roll.cell], "note"), *top, grid(_rows(boxes), 2, 12, 12)]
    return framed(column(body, 7), "", roll_call_text(roll), own_below(_paint), WIDTH)


def _rows(boxes: Sequence[Node]) -> list[Node]:
    """Two in a row, of one height."""
    return [box for i in range(0, len(boxes), 2) for box in even(boxes[i : i + 2])]


def _box(line: ProcessStatus, host: str, away: bool, wide: float) -> Node:
    """One process; a dashed box for one that is not where others wait."""
    name = [
        label(f"process {line.process}", "head"),
        *labels([short(host, 20)] * bool(host), "note"),
    ]
    since = f" {line.seconds:.0f} s" if line.seconds >= 1 else ""
    words = STATES[line.state] + since
    pill = Node(width(words, "words") + 26, 22, Pill(words, f"state lk-{line.state}"))
    kind = "wait" if line.state in WAITS else "away" if away else "there"
    told = column([row([*name, pill], 8, 0.5), *_told(line, away, wide - 24)], 5)
    inner = Node(wide - 24, max(told.h, 48), None, ((0, 0, told),))
    return padded(inner, 14, 9, 10, 9, Own("gone" if line.state == "gone" else kind))


def _told(line: ProcessStatus, away: bool, most: float) -> list[Node]:
    """The line it is in, the program that waits, how it ended."""
    letters = int(most / width("x", "code"))
    found = labels([line.how], "warn")
    if line.state == "idle" and away:
        found.append(label("does not run this cell", "words"))
    if line.state == "finishing":
        found.append(label("at the end of its cell, for work it started", "words"))
    if line.line:
        found.append(label(f"in line {line.line}", "note"))
        found.append(label(short(line.text, letters), "code"))
    if line.program:
        found.append(label(f"in the program {short(line.program, 40)}", "note"))
    return found


def _paint(item: Own, box: Box) -> str:
    """Grey with a hatched edge while it waits, dashed where it is not there."""
    if item.kind == "wait":
        edge = Box(box.x + 4, box.y + 5, 5, box.h - 10)
        return rect(box, "lk-wait", 10) + rect(edge, "lk-work", 2) + hatch(edge, "lk-hatch", 4)
    css = {"gone": "lk-gone", "away": "lk-away", "there": ""}[item.kind]
    return group(f"lk-process {css}".strip(), rect(box, "lk-box", 10))
