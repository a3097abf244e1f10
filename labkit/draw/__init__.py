"""Pictures of what the processes told us: facts in, SVG and words out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.draw.cards import Show
from labkit.draw.compose import WIDTH, framed, panels
from labkit.draw.costs import costs
from labkit.draw.descent import descent
from labkit.draw.lab_panel import lab_node
from labkit.draw.laps import measured
from labkit.draw.load import load
from labkit.draw.picture import Picture, style
from labkit.draw.replicas import replicas
from labkit.draw.rollcall import roll_call
from labkit.draw.sheet import note, stacked
from labkit.draw.step import step
from labkit.draw.story import band_lines, groups_lines
from labkit.draw.table import columns
from labkit.draw.text import lab_text, variables_text
from labkit.draw.timeline import timeline
from labkit.facts import Process, Variable

__all__ = [
    "Picture",
    "columns",
    "costs",
    "descent",
    "lab",
    "load",
    "measured",
    "note",
    "replicas",
    "roll_call",
    "stacked",
    "step",
    "style",
    "timeline",
    "variables",
]


def lab(
    processes: Sequence[Process],
    state: str = "ready",
    why: str = "",
    gone: Mapping[int, str] | None = None,
) -> Picture:
    """The lab: each process a box with its devices inside, and the lab's state.

    Args:
        processes: the processes, in order.
        state: a word: ``starting ready running waiting unsafe lost stopped``.
        why: why no number may be trusted; empty when they may.
        gone: process index → how it ended, for processes that are no longer there.
    """
    text = lab_text(processes, state, why, gone or {})
    return framed([lab_node(processes, state, gone or {})], why, text)


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
    return framed(nodes, why, text, width)
