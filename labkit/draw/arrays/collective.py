"""A collective as dotted lines between the devices it joins.

Nobody can watch it, so it is drawn as an illustration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from labkit.draw.items import Line, Pill, width
from labkit.draw.layout import Box, Placed

LANE = 15.0
"""Height of one bus line under the devices."""


def links(groups: Sequence[Sequence[str]], op: str, devices: Mapping[str, Box]) -> list[Placed]:
    """Lines and a label for each group whose devices are in the picture."""
    found: list[Placed] = []
    taken: list[list[Box]] = []
    for group in groups:
        rows = rows_of([devices[label] for label in group if label in devices])
        if all(len(row) == 1 for row in rows):
            found += _chain([row[0] for row in rows], op)
        else:
            found += _bus(rows, op, lane_of(rows, taken))
    return found


def lanes(groups: Sequence[Sequence[str]], devices: Mapping[str, Box]) -> int:
    """How many bus lines stand under each other in the fullest row of devices."""
    taken: list[list[Box]] = []
    for group in groups:
        rows = rows_of([devices[label] for label in group if label in devices])
        if any(len(row) > 1 for row in rows):
            lane_of(rows, taken)
    return max(len(taken), 1)


def rows_of(boxes: Sequence[Box]) -> list[list[Box]]:
    """The boxes row by row, from the left to the right in each."""
    rows: dict[float, list[Box]] = {}
    for box in sorted(boxes, key=lambda box: (box.y, box.x)):
        rows.setdefault(box.y, []).append(box)
    return list(rows.values())


def lane_of(rows: Sequence[Sequence[Box]], taken: list[list[Box]]) -> int:
    """The first lane where the group crosses no other; the group is entered there."""
    spans = [Box(row[0].x, row[0].y, row[-1].right - row[0].x, 1) for row in rows]
    for number, lane in enumerate(taken):
        if not any(a.y == b.y and a.x < b.right and b.x < a.right for a in spans for b in lane):
            lane += spans
            return number
    taken.append(spans)
    return len(taken) - 1


def _chain(boxes: Sequence[Box], op: str) -> Iterator[Placed]:
    """Members one under the other."""
    for number, (a, b) in enumerate(pairwise(boxes)):
        yield Line(((a.cx, a.bottom), (b.cx, b.y)), "group"), a
        if number == 0:
            yield _pill(a.cx, (a.bottom + b.y) / 2, op)


def _bus(rows: Sequence[Sequence[Box]], op: str, lane: int) -> Iterator[Placed]:
    """Members side by side, in one or several rows."""
    side = min(row[0].x for row in rows) - 5 - 2 * lane
    heights = [row[0].bottom + 12 + LANE * lane for row in rows]
    for row, y in zip(rows, heights, strict=True):
        for box in row:
            yield Line(((box.cx, box.bottom), (box.cx, y)), "group"), box
        first = side if len(rows) > 1 else row[0].cx
        yield Line(((first, y), (row[-1].cx, y)), "group"), row[0]
    if len(rows) > 1:
        yield Line(((side, heights[0]), (side, heights[-1])), "group"), rows[0][0]
    yield _pill((rows[0][0].cx + rows[0][-1].cx) / 2, heights[0], op)


def _pill(x: float, y: float, op: str) -> Placed:
    wide = width(op or "together", "code") + 16
    return Pill(op or "together", "op"), Box(x - wide / 2, y - 9, wide, 18)
