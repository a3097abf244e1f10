"""The layout of one variable: heading, strip, process boxes with their devices inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from labkit.draw.arrange import Columns, arrangements, clear, local
from labkit.draw.boxes import Node, column, even, flow, grid, padded, row
from labkit.draw.cards import Show, card_node, card_nodes, cards, meshes
from labkit.draw.items import Card, ProcessBox, label, labels, sentence
from labkit.draw.letters import Cut, cuts
from labkit.draw.outlines import EDGE, margins
from labkit.draw.strips import strip
from labkit.draw.text import DELETED, copies_lines, pick_words, story
from labkit.draw.values import Room
from labkit.draw.words import short, spec_text, type_text
from labkit.facts import Array, Process, Thing, Variable, View, host_label

ROOMS = (
    Room(8, 16),
    Room(8, 8),
    Room(4, 8, digits=4),
    Room(4, 6, digits=4),
    Room(4, 4, digits=4),
    Room(3, 3, digits=3),
    Room(2, 2, panes=1, digits=3),
)
TILES = 16
TALL = 760.0
EMPTY = 30.0

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

    @property
    def flat(self) -> bool:
        """Whether that shows a mesh of two axes or more."""
        return self.clear and any(len(mesh.shape) > 1 for mesh in meshes(self.variable))

    @property
    def slim(self) -> bool:
        """Whether each process is one row of tiles, with its name beside it."""
        rows = max(len(process.devices) for process in self.processes) / self.columns[0]
        return self.show.tile and self.columns[1] == 1 and rows <= 1

    @property
    def scattered(self) -> bool:
        """Whether a mesh over several processes leaves out some of their devices."""
        wide = [mesh for mesh in meshes(self.variable) if not local(mesh)]
        return any(
            device.label not in mesh.devices
            for mesh in wide
            for process in self.processes
            for device in process.devices
        )

    @cached_property
    def cards(self) -> Mapping[str, Card]:
        """Device label → its card."""
        return cards(self.variable, self.processes, self.show)

    @property
    def partial(self) -> bool:
        """Whether some values are left out."""
        return any(card.partial for card in self.cards.values())


def fitted(
    variable: Variable, processes: Sequence[Process], show: Show, most: float, gutter: float
) -> tuple[Plan, Node]:
    """The plan that shows the most values within ``most`` pixels, and its layout.

    Where the devices can stand as they do in a mesh of two axes, they do, also if fewer values
    fit; else as many in a row as fit with all their values.
    """
    tile = sum(len(process.devices) for process in processes) >= TILES
    tries = list(arrangements(meshes(variable), processes))
    show = replace(show, tile=tile)
    spare = None
    for across in dict.fromkeys(wide for wide, _ in tries):
        columns = [pair for pair in tries if pair[0] == across]
        plan = Plan(variable, processes, show, columns[-1], most, gutter)
        found = _richest(plan, columns)
        if found and (not found[0].partial or found[0].flat):
            return found
        spare = spare or found
    return spare or (plan, layout(plan))


def _richest(plan: Plan, columns: Sequence[Columns]) -> tuple[Plan, Node] | None:
    """The plan with the most room for values that fits with one of the columns."""
    for room in ROOMS[-1:] if plan.show.tile else ROOMS:
        for pair in columns:
            tried = replace(plan, show=replace(plan.show, room=room), columns=pair)
            tried = replace(tried, show=replace(tried.show, places=not tried.clear))
            node = layout(tried)
            if node.w <= plan.most and node.h <= TALL:
                return tried, node
    return None


def layout(plan: Plan) -> Node:
    """All of a variable's picture but outlines and collectives, which need places first."""
    groups = cuts(plan.variable)
    devices = [device.label for process in plan.processes for device in process.devices]
    nodes = {node.item.label: node for node in card_nodes([plan.cards[d] for d in devices])}
    boxes = _uniform([_process(plan, process, nodes) for process in plan.processes], plan)
    wide = [mesh for mesh in meshes(plan.variable) if not local(mesh)]
    body = grid(boxes, plan.columns[1], 12, 12)
    body = body if plan.scattered else margins(body, wide, plan.clear)
    arrays = zip(plan.variable.arrays, groups, strict=True)
    whole = [_strip(array, group, body.w) for array, group in arrays if array.spans]
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


def _notes(group: Sequence[Cut], most: float) -> Iterator[Node]:
    for line in copies_lines(group)[:6]:
        yield sentence(line, "warn" if line.startswith("copies differ") else "words", most)


def _process(plan: Plan, process: Process, nodes: Mapping[str, Node]) -> Node:
    devices = _devices(plan, process, nodes)
    told = list(_told(plan, process, max(devices.w, 120)))
    memory = plan.cards.get(host_label(process.index))
    told += [card_node(replace(memory, tile=False))] if memory else []
    seen = [devices] if plan.variable.arrays or plan.variable.meshes else []
    if plan.slim and not told:
        body = row([_head(plan, process), *seen], 12, 0.5)
    else:
        body = column([_head(plan, process), *told, *seen], 6)
    return padded(body, 9, 8, 9, 9, ProcessBox(process.index))


def _head(plan: Plan, process: Process) -> Node:
    hosts = {other.host for other in plan.processes}
    name = [label(f"process {process.index}", "head")]
    return row(name + labels([short(process.host, 24)], "note") if len(hosts) > 1 else name, 7)


def _devices(plan: Plan, process: Process, nodes: Mapping[str, Node]) -> Node:
    own = [nodes[device.label] for device in process.devices]
    if not any(node.item.lines for node in own):
        own = [replace(node, h=min(node.h, EMPTY)) for node in own]
    cells = [Node(node.w, node.h + plan.gutter, None, ((0, 0, node),)) for node in own]
    inner = [mesh for mesh in meshes(plan.variable) if local(mesh) or plan.scattered]
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
        yield sentence(f"{value.type}  {short(value.text, 120)}", "code", max(most, 180))
    elif isinstance(value, Array):
        if len({type_text(array) for array in plan.variable.arrays}) > 1:
            yield label(f"{type_text(value)}  {spec_text(value.spec)}".strip(), "code")
        if value.deleted:
            yield sentence(DELETED, "words", most)
        elif not value.spans:
            yield strip(value, group, most)
