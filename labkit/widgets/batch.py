"""The batch explorer: ways to load a batch, each run for real, and traps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets
import numpy as np

from labkit.errors import LabError, NotArrived, ProcessError
from labkit.facts import Process
from labkit.widgets.batch_facts import NAMES, Loaded
from labkit.widgets.batch_scenes import failed, missing, scenes
from labkit.widgets.batch_ways import WAYS, Way
from labkit.widgets.explorer import Explorer
from labkit.widgets.replicas import shapes
from labkit.widgets.scenes import Ask, Play

if TYPE_CHECKING:
    from labkit.lab import Lab

DATA = {"numbers: 100 × row + column": "numbers", "digits: 8 × 8 pixels": "digits"}

LEAST = 8  # rows in a batch
BATCHES = 3  # in the file
DEADLINE = 8.0  # seconds; nothing here computes for long


def batch(lab: Lab, write: Callable[[str, str, int], Path]) -> Explorer:
    """An explorer of ways to load a batch, on a lab's own processes.

    Args:
        lab: a ready lab.
        write: makes a data set: folder, kind and number of rows to a path.
    """
    meshes = _meshes(lab.processes)
    options = {"data": list(DATA.items()), "mesh": meshes, "way": list(WAYS)}
    words = {"data": "rows", "mesh": "data × model", "way": "load"}
    wide = {"data": "260px", "mesh": "170px", "way": "340px"}
    controls = {
        name: ipywidgets.Dropdown(
            options=several, description=words[name], layout=ipywidgets.Layout(width=wide[name])
        )
        for name, several in options.items()
    }
    controls["mesh"].value = _middle(meshes)

    def make(ask: Ask, choice: Mapping[str, Any]) -> Play:
        _require_fits(choice["mesh"], lab.processes)
        rows, way = _rows(choice["mesh"], lab.processes), WAYS[choice["way"]]
        path = write(lab.folder, choice["data"], BATCHES * rows)
        return play(ask, way, choice["mesh"], rows, path, lab)

    return Explorer(lab, controls, make, "batch explorer", deadline=DEADLINE)


def play(ask: Ask, way: Way, mesh: tuple[int, int], rows: int, path: Path, lab: Lab) -> Play:
    """Run a way and make scenes of what came of it, also where it fails or never ends."""
    source = way.program(mesh, rows, str(path))

    def loaded(found: Any) -> Loaded:
        return Loaded(found, np.load(path), rows, mesh[0], way.batches)

    try:
        found = ask(source, NAMES)
    except ProcessError as error:
        found = ask("pass", NAMES)
        return Play({"": failed(error, loaded(found), way, lab.processes, source)}, found.why)
    except NotArrived as error:
        return Play({"": missing(error, way, lab.processes, source)}, lab.why)
    return Play({"": scenes(loaded(found), way, lab.processes, source)}, found.why)


def _meshes(processes: Sequence[Process]) -> list[tuple[str, tuple[int, int]]]:
    return [(f"{data} × {model}", (data, model)) for data, model in shapes(processes)]


def _middle(meshes: Sequence[tuple[str, tuple[int, int]]]) -> tuple[int, int]:
    """The mesh to begin with: one that has both axes, where there is one."""
    return meshes[(len(meshes) - 1) // 2][1]


def _rows(mesh: tuple[int, int], processes: Sequence[Process]) -> int:
    """A batch that the data axis and the processes can cut, of eight rows or the next such."""
    step = math.lcm(mesh[0], len(processes))
    return -(-LEAST // step) * step


def _require_fits(mesh: tuple[int, int], processes: Sequence[Process]) -> None:
    if mesh not in shapes(processes):
        raise LabError(
            "The lab has other processes or devices than when this explorer was made: "
            "call labkit.explore.batch(lab) for one that fits."
        )
