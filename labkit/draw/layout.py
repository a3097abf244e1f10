"""Rectangles and how they stand together: the numbers of a picture, no marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels; ``x`` and ``y`` are its top left corner."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """X of the right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """Y of the lower edge."""
        return self.y + self.h

    @property
    def cx(self) -> float:
        """X of the centre."""
        return self.x + self.w / 2

    @property
    def cy(self) -> float:
        """Y of the centre."""
        return self.y + self.h / 2

    def grown(self, by: float) -> Box:
        """The box with a margin of ``by`` on every side."""
        return Box(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)


@dataclass(frozen=True)
class Node:
    """A rectangle with no place yet.

    Attributes:
        w: width.
        h: height.
        item: what is drawn in it, behind its children; None for nothing.
        children: (x, y, node), relative to its own corner.
    """

    w: float
    h: float
    item: object = None
    children: tuple[tuple[float, float, Node], ...] = ()


Placed = tuple[object, Box]
"""An item and where it stands."""


def placed(node: Node, x: float = 0, y: float = 0) -> Iterator[Placed]:
    """Every item with its rectangle, in the order to draw them."""
    if node.item is not None:
        yield node.item, Box(x, y, node.w, node.h)
    for dx, dy, child in node.children:
        yield from placed(child, x + dx, y + dy)


def union(boxes: Sequence[Box]) -> Box:
    """The smallest box around all."""
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    return Box(x, y, max(b.right for b in boxes) - x, max(b.bottom for b in boxes) - y)


def column(nodes: Sequence[Node], gap: float = 0) -> Node:
    """Nodes one under the other."""
    children, y = [], 0.0
    for node in nodes:
        children.append((0.0, y, node))
        y += node.h + gap
    return Node(max((n.w for n in nodes), default=0), max(y - gap, 0), None, tuple(children))


def row(nodes: Sequence[Node], gap: float = 0, down: float = 1) -> Node:
    """Nodes side by side: on one bottom line, or with ``down=0`` under one top line."""
    h = max((node.h for node in nodes), default=0)
    children, x = [], 0.0
    for node in nodes:
        children.append((x, (h - node.h) * down, node))
        x += node.w + gap
    return Node(max(x - gap, 0), h, None, tuple(children))


def flow(nodes: Sequence[Node], width: float, gap: float, down: float = 1) -> Node:
    """Nodes side by side as long as they fit into ``width``, then in a new row."""
    rows: list[list[Node]] = []
    for node in nodes:
        if not rows or row([*rows[-1], node], gap).w > width:
            rows.append([])
        rows[-1].append(node)
    return column([row(members, gap, down) for members in rows], gap / 2)


def grid(nodes: Sequence[Node], columns: int, gap_x: float, gap_y: float) -> Node:
    """Nodes in rows of ``columns``."""
    lines = [nodes[i : i + columns] for i in range(0, len(nodes), columns)]
    return column([row(line, gap_x) for line in lines], gap_y)


def even(nodes: Sequence[Node]) -> list[Node]:
    """The same nodes, all as wide and as high as the largest."""
    w = max((node.w for node in nodes), default=0)
    h = max((node.h for node in nodes), default=0)
    return [replace(node, w=w, h=h) for node in nodes]


def padded(
    node: Node, left: float, top: float, right: float, bottom: float, item: object = None
) -> Node:
    """The node with margins around it, and ``item`` behind both."""
    w, h = node.w + left + right, node.h + top + bottom
    return Node(w, h, item, ((left, top, node),))
