"""Whole pictures: a panel for each variable, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labkit.draw.arrays.cards import Show, meshes
from labkit.draw.arrays.collective import LANE, lanes, links
from labkit.draw.arrays.fit import fitted
from labkit.draw.arrays.mesh_outlines import outlines, places
from labkit.draw.arrays.plan import Plan
from labkit.draw.frame import MARGIN, WIDTH, common, framed
from labkit.draw.items import sentence
from labkit.draw.layout import Box, Node, Placed, column, flow, placed
from labkit.draw.paint import paint
from labkit.draw.picture import Picture
from labkit.draw.svg import group
from labkit.facts import Process, Variable
from labkit.text.arrays import groups_lines, variables_text
from labkit.text.words import band_lines

GAP = 24.0

Groups = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Panel:
    """A variable's layout, and the collective drawn over it."""

    plan: Plan
    node: Node
    groups: Groups
    op: str


def panels(
    variables: Sequence[Variable],
    processes: Sequence[Process],
    show: Show,
    groups: Groups,
    op: str,
    width: float = WIDTH,
) -> list[Node]:
    """One node a variable; narrow where two fit side by side and none loses values by it."""
    most = width - 2 * MARGIN
    half = (most - GAP) / 2
    found = []
    for variable in variables:
        wide = _panel(variable, processes, show, most, groups, op)
        slim = _panel(variable, processes, show, half, groups, op) if len(variables) > 1 else wide
        keep = slim.node.w <= half and _as_good(slim.plan, wide.plan)
        found.append(slim if keep else wide)
    return [Node(panel.node.w, panel.node.h, panel) for panel in found]


def _as_good(slim: Plan, wide: Plan) -> bool:
    same = slim.clear == wide.clear and slim.columns[0] == wide.columns[0]
    return same and slim.partial == wide.partial


def _panel(
    variable: Variable,
    processes: Sequence[Process],
    show: Show,
    most: float,
    groups: Groups,
    op: str,
) -> Panel:
    groups = groups if variable.arrays else ()
    plan, node = fitted(variable, processes, show, most, 10 + LANE if groups else 0)
    if groups and (number := lanes(groups, places(list(placed(node))).devices)) > 1:
        plan, node = fitted(variable, processes, show, most, 10 + LANE * number)
    if groups:
        told = f"dotted: {op or 'a collective'} joins these devices (an illustration)"
        node = column([node, sentence(told, "note", max(node.w, 260))], 8)
    return Panel(plan, node, groups, op)


def _paint(items: Sequence[Placed]) -> str:
    drawn = [_paint_panel(item, box) for item, box in items if isinstance(item, Panel)]
    return "".join([common(items), *drawn])


def _paint_panel(panel: Panel, box: Box) -> str:
    items = list(placed(panel.node, box.x, box.y))
    at, plan = places(items), panel.plan
    items += outlines(meshes(plan.variable), at, plan.clear, plan.gutter)
    items += links(panel.groups, panel.op, at.devices)
    return group("lk-variable", paint(items), variable=plan.variable.name)


def variables(
    variables: Variable | Sequence[Variable],
    processes: Sequence[Process],
    why: str = "",
    pick: tuple[int, ...] | None = None,
    groups: Sequence[Sequence[str]] | None = None,
    op: str = "",
    values: bool = True,
    width: float = WIDTH,
) -> Picture:
    """Who holds what: every shard of every process, and the mesh each process believes in.

    Args:
        variables: one or several names' facts.
        processes: the processes, in order.
        why: why no number may be trusted; empty when they may.
        pick: leading indices of the pane to show of arrays above 2-D.
        groups: device labels that one collective joins, group by group.
        op: the collective's name, ``"psum"``.
        values: False shows only who holds which slice.
        width: the most it may be wide, in pixels.
    """
    several = (variables,) if isinstance(variables, Variable) else tuple(variables)
    told = variables_text(several, pick or (), values)
    text = "\n".join([*band_lines(why), told, *groups_lines(groups or (), op)])
    show = Show(pick=pick or (), values=values)
    nodes = panels(several, processes, show, groups or (), op, width)
    return framed(flow(nodes, width - 2 * MARGIN, GAP, down=0), why, text, _paint, width)
