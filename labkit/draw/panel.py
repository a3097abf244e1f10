"""The layout of one variable: heading, strip, process boxes with their devices inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from labkit.draw.arrange import Columns, arrangements, clear, local
from labkit.draw.boxes import Node, column, flow, grid, padded, row
from labkit.draw.cards import Show, card_node, cards, meshes
from labkit.draw.items import Card, ProcessBox, label, labels, sentence
from labkit.draw.letters import Cut, cuts
from labkit.draw.outlines import margins
from labkit.draw.strips import strip
from labkit.draw.text import DELETED, copies_lines, story
from labkit.draw.values import Room
from labkit.draw.words import short, spec_text, type_text
from labkit.facts import Array, Process, Thing, Variable, View, host_label

ROOMS = (Room(8, 16), Room(8, 8), Room(4, 8), Room(4, 6), Room(4, 4), Room(3, 3), Room(2, 2, 1))
TILES = 16
TALL = 640


@dataclass(frozen=True, eq=False)
class Plan:
    """What to lay out, and how.

    Attributes:
        variable: a name's facts.
        processes: all processes, in order.
        show: how much is shown.
        columns: devices in a row of each box, boxes in a row.
        most: width in pixels.
        gutter: height kept free under each row of devices, for a collective.
    """

    variable: Variable
    processes: Sequence[Process]
    show: Show
    columns: Columns
    most: float
    gutter: float

    @property
    def clear(self) -> bool:
        """Whether every device stands where it stands in its mesh."""
        return all(clear(m, self.processes, self.columns) for m in meshes(self.variable))


def fitted(
    variable: Variable, processes: Sequence[Process], show: Show, most: float, gutter: float
) -> tuple[Plan, Node]:
    """The plan that shows the most values within ``most`` pixels, and its layout."""
    for room in ROOMS[-1:] if _many(processes) else ROOMS:
        for columns in arrangements(meshes(variable), processes):
            tried = replace(show, room=room, tile=_many(processes))
            plan = Plan(variable, processes, tried, columns, most, gutter)
            plan = replace(plan, show=replace(tried, places=not plan.clear))
            node = layout(plan)
            if node.w <= most and node.h <= TALL:
                return plan, node
    return plan, node


def _many(processes: Sequence[Process]) -> bool:
    return sum(len(process.devices) for process in processes) >= TILES


def layout(plan: Plan) -> Node:
    """All of a variable's picture but outlines and collectives, which need places first."""
    groups = cuts(plan.variable)
    made = cards(plan.variable, plan.processes, plan.show)
    boxes = [_process(plan, process, made) for process in plan.processes]
    wide = [mesh for mesh in meshes(plan.variable) if not local(mesh)]
    body = margins(grid(boxes, plan.columns[1], 14, 14), wide, plan.clear)
    whole = [_strip(a, g, plan) for a, g in zip(plan.variable.arrays, groups, strict=True) if a.spans]
    parts = [_heading(plan, body.w), *whole, body, *_notes(groups, max(body.w, 260))]
    return column(parts, 9)


def _heading(plan: Plan, most: float) -> Node:
    variable = plan.variable
    types = {(type_text(array), spec_text(array.spec)) for array in variable.arrays}
    code = list(types.pop()) if len(types) == 1 else []
    first = flow([label(variable.name, "name"), *labels(code, "code")], max(most, 200), 10)
    told = story(variable)
    return column([first, sentence(told, "words", max(most, 260))] if told else [first], 2)


def _strip(array: Array, group: Sequence[Cut], plan: Plan) -> Node:
    return column([label("the whole array", "small"), strip(array, group, plan.most - 40)], 3)


def _notes(groups: Sequence[Sequence[Cut]], most: float) -> Iterator[Node]:
    for group in groups:
        for line in copies_lines(group)[:4]:
            yield sentence(line, "warn" if line.startswith("copies differ") else "words", most)


def _process(plan: Plan, process: Process, made: dict[str, Card]) -> Node:
    devices = _devices(plan, process, made)
    parts = [_head(plan, process), *_told(plan, process, max(devices.w, 120))]
    memory = made.get(host_label(process.index))
    parts += [card_node(memory)] if memory else []
    parts += [devices] if plan.variable.arrays or plan.variable.meshes else []
    return padded(column(parts, 6), 10, 8, 10, 10, ProcessBox(process.index))


def _head(plan: Plan, process: Process) -> Node:
    hosts = {process.host for process in plan.processes}
    name = [label(f"process {process.index}", "head")]
    return row(name + labels([short(process.host, 24)], "small") if len(hosts) > 1 else name, 8)


def _devices(plan: Plan, process: Process, made: dict[str, Card]) -> Node:
    found = [mesh for mesh in meshes(plan.variable) if local(mesh)]
    nodes = [card_node(made[device.label]) for device in process.devices]
    # Every box keeps the size of the fullest card, so that boxes line up.
    size = [card_node(card) for name, card in made.items() if not name.endswith("host")]
    w, h = max(node.w for node in size), max(node.h for node in size)
    nodes = [replace(node, w=w, h=h) for node in nodes]
    cells = [Node(w, h + plan.gutter, None, ((0, 0, node),)) for node in nodes]
    return margins(grid(cells, plan.columns[0], 6, 6), found[:1], plan.clear)


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
        yield sentence(f"{value.type}  {short(value.text, 120)}", "code", max(most, 180))
    elif isinstance(value, Array):
        if len({type_text(array) for array in plan.variable.arrays}) > 1:
            yield label(f"{type_text(value)}  {spec_text(value.spec)}".strip(), "code")
        if value.deleted:
            yield sentence(DELETED, "words", most)
        elif not value.spans:
            yield strip(value, group, most)
