"""The layout of one variable: heading, strip, process boxes with their devices inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from labkit.draw.arrays.cards import card_node, card_nodes
from labkit.draw.arrays.mesh_outlines import EDGE, margins
from labkit.draw.arrays.plan import Plan
from labkit.draw.arrays.subject import Subject
from labkit.draw.arrays.whole_array import strip
from labkit.draw.items import ProcessBox, label, labels, process_head, sentence
from labkit.draw.layout import Node, column, even, flow, grid, padded, row
from labkit.facts import Array, Mesh, Process, Thing, Variable, host_label
from labkit.text.arrays import DELETED, copies_lines, pick_words, story
from labkit.text.letters import Cut
from labkit.text.words import spec_text, thing_text, type_text

EMPTY = 30.0
"""Height of a device that holds nothing, in a process that holds nothing."""


def layout(plan: Plan) -> Node:
    """All of a variable's picture but outlines and collectives, which need places first."""
    subject = plan.subject
    made = card_nodes([plan.cards[label] for label in subject.labels])
    nodes = {node.item.label: node for node in made}
    boxes = _uniform([_process(plan, process, nodes) for process in subject.processes], plan)
    body = grid(boxes, plan.columns[1], 12, 12)
    body = margins(body, subject.wide, plan.clear) if subject.around else body
    arrays = subject.lettered.arrays
    whole = [_strip(array, group, body.w) for array, group in arrays if array.spans and group]
    notes = _notes([cut for group in subject.lettered.cuts for cut in group], max(body.w, 260))
    return column([_heading(subject, body.w), *whole, body, *notes], 9)


def _uniform(boxes: Sequence[Node], plan: Plan) -> list[Node]:
    """All boxes as wide as the widest; as high as they need where they stand in one column."""
    if plan.columns[1] > 1:
        return even(boxes)
    return [replace(box, w=max(other.w for other in boxes)) for box in boxes]


def _heading(subject: Subject, most: float) -> Node:
    variable = subject.variable
    types = {(type_text(array), spec_text(array.spec)) for array in variable.arrays}
    types |= {(mesh.text,) for mesh in variable.meshes}
    code = list(types.pop()) if len(types) == 1 else []
    first = flow([label(variable.name, "name"), *labels(code, "code")], max(most, 240), 10)
    told = [story(subject.lettered), pick_words(subject.options.pick) if variable.arrays else ""]
    return column([first, *(sentence(t, "words", max(most, 260)) for t in told if t)], 2)


def _strip(array: Array, group: Sequence[Cut], most: float) -> Node:
    return column([label("the whole array", "note"), strip(array, group, max(most, 120))], 3)


def _notes(group: Sequence[Cut], most: float) -> list[Node]:
    lines = copies_lines(group)[:6]
    kinds = ["warn" if line.startswith("copies differ") else "words" for line in lines]
    told = [sentence(line, kind, most) for line, kind in zip(lines, kinds, strict=True)]
    return [column(told, 2)] if told else []


def _process(plan: Plan, process: Process, nodes: Mapping[str, Node]) -> Node:
    devices = _devices(plan, process, nodes)
    told = list(_told(plan.subject, process, max(devices.w, 120)))
    memory = plan.cards.get(host_label(process.index))
    told += [card_node(replace(memory, tile=False))] if memory else []
    variable = plan.subject.variable
    seen = [devices] if variable.arrays or variable.meshes else []
    head = process_head(process, plan.subject.processes)
    if plan.slim and not told:
        body = row([head, *seen], 12, 0.5)
    else:
        body = column([head, *told, *seen], 6)
    return padded(body, 9, 8, 9, 9, ProcessBox(process.index))


def _devices(plan: Plan, process: Process, nodes: Mapping[str, Node]) -> Node:
    own = [nodes[device.label] for device in process.devices]
    if not any(node.item.lines for node in own):
        own = [replace(node, h=min(node.h, EMPTY)) for node in own]
    cells = [Node(node.w, node.h + plan.gutter, None, ((0, 0, node),)) for node in own]
    scattered = plan.subject.scattered
    inner = [mesh for mesh in plan.subject.meshes if mesh.local or scattered]
    gap = 2 * EDGE + 3 if scattered else 5
    return margins(grid(cells, plan.columns[0], gap, gap), inner[:1], plan.clear)


def _told(subject: Subject, process: Process, most: float) -> Iterator[Node]:
    """What a process has besides shards on devices: its own strip, a thing, or nothing."""
    variable = subject.variable
    if process.index in variable.missing:
        yield sentence(f"has no name {variable.name}", "words", most)
    for view, group in subject.lettered.views:
        if process.index in view.processes:
            yield from _content(variable, view.value, group, most)


def _content(
    variable: Variable, value: Array | Mesh | Thing, group: Sequence[Cut], most: float
) -> Iterator[Node]:
    if isinstance(value, Thing):
        yield sentence(thing_text(value, 120), "code", max(most, 180))
    elif isinstance(value, Array):
        if len({type_text(array) for array in variable.arrays}) > 1:
            yield label(f"{type_text(value)}  {spec_text(value.spec)}".strip(), "code")
        if value.deleted:
            yield sentence(DELETED, "words", most)
        elif not value.spans and prod(value.shape):
            yield strip(value, group, most)
