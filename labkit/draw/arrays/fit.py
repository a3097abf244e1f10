"""How many values fit, and how many devices and processes stand in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from labkit.draw.arrays.arrangement import Columns, arrangements
from labkit.draw.arrays.cards import Show, meshes
from labkit.draw.arrays.plan import Plan
from labkit.draw.arrays.variable import layout
from labkit.draw.layout import Node
from labkit.facts import Process, Variable
from labkit.text.values import Room

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
