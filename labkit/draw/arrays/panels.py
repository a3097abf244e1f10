"""Whole pictures: a panel for each variable, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labkit.draw.arrays.collective import LANE, lanes, links
from labkit.draw.arrays.fit import Layouts
from labkit.draw.arrays.mesh_outlines import outlines, places
from labkit.draw.arrays.plan import Plan
from labkit.draw.arrays.subject import Groups, Options, Subject
from labkit.draw.frame import WIDTH, common, framed
from labkit.draw.items import sentence
from labkit.draw.layout import Box, Node, Placed, column, flow, placed
from labkit.draw.paint import paint
from labkit.draw.picture import Picture
from labkit.draw.svg import group
from labkit.facts import Process, Variable
from labkit.text.arrays import groups_lines, variables_text
from labkit.text.letters import Lettered
from labkit.text.words import band_lines

GAP = 24.0


@dataclass(frozen=True, eq=False)
class Panel:
    """A variable's layout; the collective is drawn over it."""

    plan: Plan
    node: Node


def panels(subjects: Sequence[Subject], most: float) -> list[Node]:
    """One node a variable; narrow where two fit side by side and none loses values by it."""
    half = (most - GAP) / 2
    found = []
    for subject in subjects:
        layouts = Layouts(subject)
        wide = _panel(layouts, most)
        slim = _panel(layouts, half) if len(subjects) > 1 else wide
        keep = slim.node.w <= half and _as_good(slim.plan, wide.plan)
        found.append(slim if keep else wide)
    return [Node(panel.node.w, panel.node.h, panel) for panel in found]


def _as_good(slim: Plan, wide: Plan) -> bool:
    same = slim.clear == wide.clear and slim.columns[0] == wide.columns[0]
    return same and slim.partial == wide.partial


def _panel(layouts: Layouts, most: float) -> Panel:
    groups, op = layouts.subject.groups, layouts.subject.options.op
    if not groups:
        return Panel(*layouts.best(most, 0))
    plan, node = layouts.best(most, 10 + LANE)
    if (number := lanes(groups, places(list(placed(node))).devices)) > 1:
        plan, node = layouts.best(most, 10 + LANE * number)
    told = f"dotted: {op or 'a collective'} joins these devices (an illustration)"
    return Panel(plan, column([node, sentence(told, "note", max(node.w, 260))], 8))


def _paint(items: Sequence[Placed]) -> str:
    drawn = [_paint_panel(item, box) for item, box in items if isinstance(item, Panel)]
    return "".join([common(items), *drawn])


def _paint_panel(panel: Panel, box: Box) -> str:
    items = list(placed(panel.node, box.x, box.y))
    at, plan, subject = places(items), panel.plan, panel.plan.subject
    items += outlines(subject.meshes, at, plan.clear, plan.gutter)
    items += links(subject.groups, subject.options.op, at.devices)
    return group("lk-variable", paint(items), variable=subject.variable.name)


def variables(
    variables: Variable | Sequence[Variable],
    processes: Sequence[Process],
    why: str = "",
    pick: tuple[int, ...] | None = None,
    groups: Groups | None = None,
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
    options = Options(pick or (), values, groups or (), op, width)
    lettered = [Lettered(variable) for variable in several]
    nodes = panels([Subject(each, processes, options) for each in lettered], options.inside)
    told = variables_text(lettered, options.pick, values)
    text = "\n".join([*band_lines(why), told, *groups_lines(options.groups, op)])
    return framed(flow(nodes, options.inside, GAP, down=0), why, text, _paint, width)
