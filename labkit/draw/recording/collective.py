"""Who sends to whom in a collective: lines between the operands and the results of its devices.

They say who takes part with whom and how much each gives. The way the bytes take between the
devices is not known: the lines are dotted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from labkit.draw.arrays.collective import lane_of, rows_of
from labkit.draw.items import Pill, width
from labkit.draw.layout import Box
from labkit.draw.paint import paint
from labkit.draw.recording.column import head
from labkit.draw.svg import group, path, text
from labkit.facts import Collective
from labkit.text.words import size_text

STUB, LANE, END = 15.0, 19.0, 9.0
SIDE = 5.0
"""Pixels beside a column, where lines go on to another row."""

Zones = Mapping[str, Box]
"""Device label → the room between its operands and its results."""


def zone_height(collective: Collective | None, columns: Zones) -> float:
    """The room the lines need.

    Args:
        collective: the collective; None for an operation of each device alone.
        columns: where the devices stand, at whatever height.
    """
    if collective is None:
        return 17.0
    if collective.sends:
        return STUB + 2 * LANE + END
    lanes = max((lane for _, _, lane in _in_lanes(collective.groups, columns)), default=0) + 1
    return STUB + lanes * LANE + END


def flows(collective: Collective, zones: Zones) -> str:
    """The lines of a collective."""
    if collective.sends:
        pairs = [pair for pair in collective.sends if set(pair) <= set(zones)]
        lines = "".join(_send(zones[a], zones[b]) for a, b in pairs)
        return group("lk-flow", lines + "".join(_gives(zones[a], collective) for a, _ in pairs))
    return "".join(
        group("lk-flow", "".join(_group(rows, lane, collective)))
        for _, rows, lane in _in_lanes(collective.groups, zones)
    )


def _in_lanes(
    groups: Sequence[Sequence[str]], zones: Zones
) -> Iterator[tuple[Sequence[str], list[list[Box]], int]]:
    """Each group with its devices row by row, and the lane where it crosses no other group."""
    taken: list[list[Box]] = []
    for members in groups:
        rows = rows_of([zones[device] for device in members if device in zones])
        if rows:
            yield members, rows, lane_of(rows, taken)


def _group(rows: Sequence[Sequence[Box]], lane: int, collective: Collective) -> Iterator[str]:
    """A line along each row of the group's devices, joined at the side where there are several."""
    side = min(row[0].x for row in rows) - SIDE - 3 * lane
    heights = [row[0].y + STUB + LANE * (lane + 0.5) for row in rows]
    for row, y in zip(rows, heights, strict=True):
        first = side if len(rows) > 1 else row[0].cx
        yield path([(first, y), (row[-1].cx, y)], "lk-line lk-line-group")
        for zone in row:
            yield path([(zone.cx, zone.y), (zone.cx, zone.bottom - 2)], "lk-line lk-line-group")
            yield head(zone.cx, zone.bottom - 1)
            yield _gives(zone, collective)
    if len(rows) > 1:
        yield path([(side, heights[0]), (side, heights[-1])], "lk-line lk-line-group")
    wide = width(collective.op, "code") + 14
    middle = (rows[0][0].cx + rows[0][-1].cx) / 2
    yield paint([(Pill(collective.op, "op"), Box(middle - wide / 2, heights[0] - 9, wide, 18))])


def _gives(zone: Box, collective: Collective) -> str:
    """How much a device gives, beside its line."""
    if not collective.bytes:
        return ""
    return text(zone.cx + 5, zone.y + STUB / 2, size_text(collective.bytes), "lk-small")


def _send(sender: Box, receiver: Box) -> str:
    """From one device's operand to another's result."""
    start, end = (sender.cx, sender.y), (receiver.cx, receiver.bottom - 1)
    if sender.y == receiver.y:
        between = [(sender.cx, sender.y + STUB), (receiver.cx, receiver.bottom - END)]
    else:
        out, back = sender.y + STUB + LANE / 2, receiver.bottom - END - LANE / 2
        side = sender.right + SIDE if sender.y < receiver.y else sender.x - SIDE
        between = [(sender.cx, out), (side, out), (side, back), (receiver.cx, back)]
    return path([start, *between, end], "lk-line lk-line-group") + head(*end)
