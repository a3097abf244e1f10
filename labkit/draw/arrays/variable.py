"""The layout of one variable: heading, strip, process boxes with their devices inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from labkit.draw.arrays.cards import card_node, card_nodes, meshes
from labkit.draw.arrays.mesh_outlines import EDGE, margins
from labkit.draw.arrays.plan import Plan
from labkit.draw.arrays.whole_array import strip
from labkit.draw.items import ProcessBox, label, labels, process_head, sentence
from labkit.draw.layout import Node, column, even, flow, grid, padded, row
from labkit.facts import Array, Process, Thing, Variable, View, host_label
from labkit.text.arrays import DELETED, copies_lines, pick_words, story
from labkit.text.letters import Cut, cuts
from labkit.text.words import spec_text, thing_text, type_text

EMPTY = 30.0
"""Height of a device that holds nothing, in a process that holds nothing."""


def layout(plan: Plan) -> Node:
    """All of a variable's picture but outlines and collectives, which need places first."""
    groups = cuts(plan.variable)
    devices = [device.label for process in plan.processes for device in process.devices]
    nodes = {node.item.label: node for node in card_nodes([plan.cards[d] for d in devices])}
    boxes = _uniform([_process(plan, process, nodes) for process in plan.processes], plan)
    wide = [mesh for mesh in meshes(plan.variable) if not mesh.local]
    body = grid(boxes, plan.columns[1], 12, 12)
    body = margins(body, wide, plan.clear) if plan.around else body
    arrays = zip(plan.variable.arrays, groups, strict=True)
    whole = [_strip(array, group, body.w) for array, group in arrays if array.spans and group]
    notes = _notes([cut for group in groups for cut in group], max(body.w, 260))
    return column([_heading(plan, body.w), *whole, body, *notes], 9)


def _uniform(boxes: Sequence[Node], plan: Plan) -> list[Node]:
    """All boxes as wide as the widest; as high as they need where they stand in one column."""
    if plan.columns[1] > 1:
        return even(boxes)
    return [replace(box, w=max(other.w for other in boxes)) for box in boxes]


def _heading(plan: Plan, most: float) -> Node:
    variable = plan.variable
    types = {(type_text(array), spec_text(array.spec)) for array in variable.arrays}
    types |= {(mesh.text,) for mesh in variable.meshes}
    code = list(types.pop()) if len(types) == 1 else []
    first = flow([label(variable.name, "name"), *labels(code, "code")], max(most, 240), 10)
    told = [story(variable), pick_words(plan.show.pick) if variable.arrays else ""]
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
    told = list(_told(plan, process, max(devices.w, 120)))
    memory = plan.cards.get(host_label(process.index))
    told += [card_node(replace(memory, tile=False))] if memory else []
    seen = [devices] if plan.variable.arrays or plan.variable.meshes else []
    head = process_head(process, plan.processes)
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
    inner = [mesh for mesh in meshes(plan.variable) if mesh.local or plan.scattered]
    gap = 2 * EDGE + 3 if plan.scattered else 5
    return margins(grid(cells, plan.columns[0], gap, gap), inner[:1], plan.clear)


def _told(plan: Plan, process: Process, most: float) -> Iterator[Node]:
    """What a process has besides shards on devices: its own strip, a thing, or nothing."""
    if process.index in plan.variable.missing:
        yield sentence(f"has no name {plan.variable.name}", "words", most)
    for view, group in _views(plan.variable):
        if process.index in view.processes:
            yield from _content(plan, view, group, most)


def _views(variable: Variable) -> Iterator[tuple[View, Sequence[Cut]]]:
    groups = iter(cuts(variable))
    for view in variable.views:
        yield view, next(groups) if isinstance(view.value, Array) else ()


def _content(plan: Plan, view: View, group: Sequence[Cut], most: float) -> Iterator[Node]:
    value = view.value
    if isinstance(value, Thing):
        yield sentence(thing_text(value, 120), "code", max(most, 180))
    elif isinstance(value, Array):
        if len({type_text(array) for array in plan.variable.arrays}) > 1:
            yield label(f"{type_text(value)}  {spec_text(value.spec)}".strip(), "code")
        if value.deleted:
            yield sentence(DELETED, "words", most)
        elif not value.spans and prod(value.shape):
            yield strip(value, group, most)
