"""Explorers: prepared experiments on a lab's own processes, stepped through scene by scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.lab import Lab
    from labkit.widgets.explorer import Explorer

__all__ = ["psum", "replicas"]


def psum(lab: Lab) -> Explorer:
    """What a collective gives over a local mesh and over a global one.

    Controls choose the mesh, the collective and the input; each change runs a program in every
    process. The last line of a cell shows it; ``await labkit.explore.psum(lab).done()`` waits
    until its scenes are there.

    Args:
        lab: a lab in state ``ready``.
    """
    # the widgets are needed here only: importing labkit stays quick, also in the processes
    from labkit.widgets import psum

    return psum.psum(lab)


def replicas(lab: Lab) -> Explorer:
    """An array that says it is replicated, made of copies that differ.

    Controls choose the mesh's shape and the number each process fills its copy with; each change
    runs a program in every process.

    Args:
        lab: a lab in state ``ready``.
    """
    from labkit.widgets import replicas

    return replicas.replicas(lab)
