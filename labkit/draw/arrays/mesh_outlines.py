"""Where the edge of each mesh runs: around devices, or around whole process boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labkit.draw.items import Card, Line, Outline, ProcessBox
from labkit.draw.layout import Box, Node, Placed, padded, union
from labkit.facts import Mesh
from labkit.facts.labels import process_of
from labkit.text.words import axis_texts, process_names

EDGE = 9.0
"""From what an outline goes around to the outline."""


@dataclass(frozen=True)
class Places:
    """Where the devices and the processes of a picture stand.

    Attributes:
        devices: label → box.
        processes: index → box.
    """

    devices: Mapping[str, Box]
    processes: Mapping[int, Box]


def places(items: Sequence[Placed]) -> Places:
    """The boxes of devices and processes among placed items."""
    return Places(
        {item.label: box for item, box in items if isinstance(item, Card)},
        {item.index: box for item, box in items if isinstance(item, ProcessBox)},
    )


def margins(node: Node, found: Sequence[Mesh], clear: bool) -> Node:
    """The node with room around it for the outlines of meshes."""
    if not found:
        return node
    left = 16.0 if clear and any(len(mesh.shape) == 2 for mesh in found) else 0.0
    more = (len(found) - 1) * 2 * EDGE
    return padded(node, EDGE + left + more, EDGE + 9 + more, EDGE + more, EDGE + more)


def outlines(
    found: Mapping[Mesh, Sequence[int]], at: Places, clear: bool, gutter: float
) -> Iterator[Placed]:
    """Outlines for each mesh, and lines that join its parts where it needs several."""
    wide = [mesh for mesh in found if not mesh.local]
    for mesh in found:
        legend = "mesh" if len(wide) < 2 else f"mesh of {process_names(found[mesh])}"
        more = 2 * EDGE * wide.index(mesh) if mesh in wide else 0
        boxes = _parts(mesh, at, gutter, EDGE + more)
        for a, b in pairwise(boxes):
            yield Line(_between(a, b), "mesh"), a
        for i, box in enumerate(boxes):
            yield _outline(mesh, clear, legend) if i == 0 else Outline("", "", ""), box


def _outline(mesh: Mesh, clear: bool, legend: str) -> Outline:
    axes = axis_texts(mesh)
    if len(axes) == 2 and clear:
        return Outline(legend, axes[1], axes[0])
    return Outline(legend, " × ".join(axes), "")


def _parts(mesh: Mesh, at: Places, gutter: float, edge: float) -> list[Box]:
    """One box around all its processes if nothing else would be inside, else one in each."""
    members = {process_of(label) for label in mesh.devices} & set(at.processes)
    labels = [label for label in at.devices if not label.endswith("host")]
    inside = {label for label in labels if process_of(label) in members}
    around = union([at.processes[i] for i in members]) if members else None
    strangers = [box for i, box in at.processes.items() if i not in members]
    if len(members) > 1 and inside <= set(mesh.devices) and not _meets(around, strangers):
        return [around.grown(edge)]
    each = [[at.devices[d] for d in mesh.devices if process_of(d) == i] for i in sorted(members)]
    return [_lower(union(boxes).grown(edge), gutter) for boxes in each]


def _lower(box: Box, by: float) -> Box:
    return Box(box.x, box.y, box.w, box.h + by)


def _meets(box: Box, others: Sequence[Box]) -> bool:
    return any(
        abs(box.cx - other.cx) * 2 < box.w + other.w
        and abs(box.cy - other.cy) * 2 < box.h + other.h
        for other in others
    )


def _between(a: Box, b: Box) -> tuple[tuple[float, float], ...]:
    if a.right <= b.x:
        return (a.right, a.cy), (b.x, a.cy)
    if a.bottom <= b.y and abs(a.cx - b.cx) < 1:
        return (a.cx, a.bottom), (a.cx, b.y)
    return (a.cx, a.bottom), (a.cx, (a.bottom + b.y) / 2), (b.cx, (a.bottom + b.y) / 2), (b.cx, b.y)
