"""Explorers: prepared experiments on a lab's own processes, stepped through scene by scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.explorers.explorer import Explorer
    from labkit.lab.lab import Lab

__all__ = ["batch", "psum", "replicas"]


def batch(lab: Lab) -> Explorer:
    """Ways to load a batch of a small data set on disk: who reads and who holds which rows.

    Controls choose the data set, the mesh's shape and the way, right ones and traps; each change
    runs a program in every process, which counts what it really reads.

    Args:
        lab: a lab in state ``ready``.
    """
    # the widgets are needed here only: importing labkit stays quick, also in the processes
    from labkit import rows
    from labkit.explorers.batch import explorer

    return explorer.batch(lab, rows.write)


def psum(lab: Lab) -> Explorer:
    """What a collective gives over a local mesh and over a global one.

    Controls choose the mesh, the collective and the input; each change runs a program in every
    process. The last line of a cell shows it; ``await labkit.explore.psum(lab).done()`` waits
    until its scenes are there.

    Args:
        lab: a lab in state ``ready``.
    """
    from labkit.explorers import psum

    return psum.psum(lab)


def replicas(lab: Lab) -> Explorer:
    """An array that says it is replicated, made of copies that differ.

    Controls choose the mesh's shape and the number each process fills its copy with; each change
    runs a program in every process.

    Args:
        lab: a lab in state ``ready``.
    """
    from labkit.explorers import replicas

    return replicas.replicas(lab)
