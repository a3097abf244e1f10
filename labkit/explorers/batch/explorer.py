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
from labkit.explorers.batch.outcome import NAMES, Loaded
from labkit.explorers.batch.programs import PART_OF_MESH, Way
from labkit.explorers.batch.scenes import compared, failed, missing, scenes
from labkit.explorers.batch.traps import WAYS
from labkit.explorers.explorer import Explorer
from labkit.explorers.replicas import shapes
from labkit.explorers.scenes import Ask, Found, Play
from labkit.facts import Process, RowsRead, Scene

if TYPE_CHECKING:
    from labkit.lab.lab import Lab

DATA = ("numbers", "digits")

QUESTION_CUTS = (1, 2, 4)  # of the question's four devices, to which the lab can be reset
LEAST = 8  # rows in a batch
BATCHES = 3  # in the file
DEADLINE = 8.0  # seconds; nothing here computes for long


def batch(lab: Lab, write: Callable[[str, str, int], Path]) -> Explorer:
    """An explorer of ways to load a batch, on a lab's own processes.

    Args:
        lab: a ready lab.
        write: makes a data set: folder, kind and number of rows to a path.
    """
    controls = _controls(lab.processes)
    costs: dict[Any, dict[str, RowsRead]] = {}

    def make(ask: Ask, choice: Mapping[str, Any]) -> Play:
        mesh, way = _mesh(choice["cut"], lab.processes), WAYS[choice["way"]]
        rows = _rows(mesh, lab.processes)
        path = write(lab.folder, choice["data"], BATCHES * rows)
        of = (mesh, choice["data"], len(lab.processes))
        return play(ask, Run(way, mesh, rows, path), lab, costs.setdefault(of, {}))

    explorer = Explorer(lab, controls, make, "batch explorer", deadline=DEADLINE)
    bar, stage = explorer.children
    explorer.children = (bar, _question(explorer), stage)
    return explorer


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


def play(ask: Ask, run: Run, lab: Lab, costs: dict[str, RowsRead]) -> Play:
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


def _cost(run: Run, loaded: Loaded, costs: dict[str, RowsRead]) -> list[Scene]:
    if run.way.trap or run.way is PART_OF_MESH:  # it sleeps
        return []
    slowest = max(line.seconds or 0.0 for line in loaded.readers)
    costs.pop(run.way.name, None)  # the newest comes last
    costs[run.way.name] = RowsRead(run.way.name, (), loaded.nbytes, slowest)
    return [compared(list(costs.values()), run.source)]


def _controls(processes: Sequence[Process]) -> dict[str, ipywidgets.Dropdown]:
    cuts = sorted({data for data, _ in shapes(processes)} | set(QUESTION_CUTS))
    options = {"data": DATA, "cut": cuts, "way": list(WAYS)}
    words = {"data": "rows", "cut": "data axis", "way": "load"}
    wide = {"data": "150px", "cut": "130px", "way": "340px"}
    controls = {
        name: ipywidgets.Dropdown(
            options=several, description=words[name], layout=ipywidgets.Layout(width=wide[name])
        )
        for name, several in options.items()
    }
    meshes = shapes(processes)
    controls["cut"].value = meshes[(len(meshes) - 1) // 2][0]  # one that has both axes
    return controls


def _mesh(data: int, processes: Sequence[Process]) -> tuple[int, int]:
    """The mesh of all devices with a data axis of this size."""
    found = dict(shapes(processes))
    if data not in found:
        several = ", ".join(map(str, found))
        raise LabError(f"The lab's devices cannot be cut into {data}: choose one of {several}.")
    return data, found[data]


def _rows(mesh: tuple[int, int], processes: Sequence[Process]) -> int:
    """A batch that the data axis and the processes can cut, of eight rows or the next such."""
    step = math.lcm(mesh[0], len(processes))
    return -(-LEAST // step) * step


def _question(explorer: Explorer) -> ipywidgets.HBox:
    """One click to the set-up of the batch question; it asks before it resets the lab."""
    wide = {"layout": {"width": "auto"}}
    words = "The question's set-up: 4 processes × 1 device, 2 chunks"
    ask = ipywidgets.Button(description=words, **wide)
    yes = ipywidgets.Button(description="Reset to 4 × 1", **wide)
    no = ipywidgets.Button(description="Keep this lab", **wide)
    sure = ipywidgets.HTML("This resets the lab: what your cells have made is gone.")
    row = ipywidgets.HBox([ask], layout={"flex_flow": "row wrap", "grid_gap": "2px 14px"})

    def change(button: ipywidgets.Button) -> None:
        there = [len(process.devices) for process in explorer.lab.processes] == [1] * 4
        row.children = (sure, yes, no) if button is ask and not there else (ask,)
        if button is yes or (button is ask and there):
            explorer.controls["cut"].value = 2
        if button is yes:
            explorer.reset(processes=4, devices=1)

    for button in (ask, yes, no):
        button.on_click(change)
    return row
