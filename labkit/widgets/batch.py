"""The batch explorer: ways to load a batch, each run for real, and traps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets
import numpy as np

from labkit.errors import LabError, NotArrived, ProcessError
from labkit.facts import Load, Process, Scene
from labkit.widgets.batch_facts import NAMES, Loaded
from labkit.widgets.batch_scenes import compared, failed, missing, scenes
from labkit.widgets.batch_ways import WAYS, Way
from labkit.widgets.explorer import Explorer
from labkit.widgets.replicas import shapes
from labkit.widgets.scenes import Ask, Found, Play

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

    costs: dict[Any, dict[str, Load]] = {}

    def make(ask: Ask, choice: Mapping[str, Any]) -> Play:
        mesh, way = choice["mesh"], WAYS[choice["way"]]
        _require_fits(mesh, lab.processes)
        rows = _rows(mesh, lab.processes)
        path = write(lab.folder, choice["data"], BATCHES * rows)
        of = (mesh, choice["data"], len(lab.processes))
        return play(ask, Run(way, mesh, rows, path), lab, costs.setdefault(of, {}))

    return Explorer(lab, controls, make, "batch explorer", deadline=DEADLINE)


@dataclass(frozen=True)
class Run:
    """What is to run: a way, the mesh's sizes, rows in a batch, and the file."""

    way: Way
    mesh: tuple[int, int]
    rows: int
    path: Path

    @property
    def source(self) -> str:
        """The program."""
        return self.way.program(self.mesh, self.rows, str(self.path))

    def loaded(self, found: Found) -> Loaded:
        """What came of it, beside the file itself."""
        return Loaded(found, np.load(self.path), self.rows, self.mesh[0], self.way)


def play(ask: Ask, run: Run, lab: Lab, costs: dict[str, Load]) -> Play:
    """Run a way and make scenes of what came of it, also where it fails or never ends.

    Args:
        ask: runs a program.
        run: what to run.
        lab: where.
        costs: name of a way → what it cost on this mesh; the right ones are added.
    """
    try:
        loaded = run.loaded(ask(run.source, NAMES))
    except ProcessError as error:
        loaded = run.loaded(ask("pass", NAMES))
        made = failed(error, loaded, lab.processes, run.source)
    except NotArrived as error:
        return Play({"": missing(error, run.way, lab.processes, run.source)}, lab.why)
    else:
        made = scenes(loaded, lab.processes, run.source)
        made += _cost(run, loaded, costs)
    return Play({"": made}, loaded.found.why)


def _cost(run: Run, loaded: Loaded, costs: dict[str, Load]) -> list[Scene]:
    if run.way.trap or loaded.early:
        return []
    slowest = max(line.seconds or 0.0 for line in loaded.readers)
    costs.pop(run.way.name, None)  # the newest comes last
    costs[run.way.name] = Load(run.way.name, (), loaded.nbytes, slowest)
    return [compared(list(costs.values()), run.source)]


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
