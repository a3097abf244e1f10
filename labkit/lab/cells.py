"""Cells: numbered, run in the chosen processes, checked to have left them in step."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from labkit import facts
from labkit.analysis import flight_recorder
from labkit.analysis.outputs import values
from labkit.analysis.recording import of_records
from labkit.display.recording import recording
from labkit.display.results import Results
from labkit.errors import Interrupted, LabError, ProcessError
from labkit.lab import validation
from labkit.lab.engine_client import EngineClient, Look
from labkit.lab.state import LabState
from labkit.lab.watchdog import Wait

DEADLINE = 25.0
_TOLD_EVERY = 0.1  # seconds

Progress = Callable[[tuple[facts.Output, ...]], None]


def outputs_to(progress: Progress | None) -> Look:
    """What looks at a wait and tells somebody the outputs so far; for nobody it makes none."""
    if progress is None:
        return lambda wait: None
    due = 0.0

    def look(wait: Wait) -> None:
        nonlocal due
        if time.monotonic() >= due:  # a wait is looked at more often than anybody reads
            progress(wait.outputs(wait.roll_call()))
            due = time.monotonic() + _TOLD_EVERY

    return look


@dataclass(frozen=True)
class Cell:
    """What is run, and how.

    Attributes:
        source: the code.
        chosen: the processes that run it.
        deadline: seconds that somebody may wait for somebody else.
        look: called with the wait while it runs.
        namespace: a private one that labkit runs its own code in; None for the learner's.
        anyway: it is run also where it seems to need processes that are not chosen.
    """

    source: str
    chosen: tuple[int, ...]
    deadline: float
    look: Look
    namespace: str | None = None
    anyway: bool = False

    @property
    def by_learner(self) -> bool:
        """Whether it counts as a cell of theirs, and is checked like one before it runs."""
        return self.namespace is None


class _Ended(NamedTuple):
    """A cell that every process has ended, none with an exception.

    Attributes:
        records: process index → what it told.
        outputs: one a process.
        why: why no number of it may be trusted; empty when they may.
    """

    records: Mapping[int, Mapping[str, Any]]
    outputs: tuple[facts.Output, ...]
    why: str


class Cells:
    """Runs one cell after another."""

    def __init__(self, client: EngineClient, state: LabState) -> None:
        self._client, self._state = client, state
        self._number = 0  # of everything that was run; the in-step check's own number
        self._learners = 0  # of the learner's cells, which are called by it
        self.source = ""  # of the learner's last cell
        self.flights: tuple[facts.Flight, ...] = ()  # of the same; none where it did not end

    def run(self, cell: Cell) -> Results:
        """Run a cell for the value of its last expression; errors as in :meth:`labkit.Lab.run`."""
        if cell.by_learner and not cell.anyway:
            self._require_complete(cell)
        ended = self._ended(cell, "cells.run", "run")
        return Results(values(ended.records), ended.outputs, ended.why, self._client.count)

    def record(self, cell: Cell, expression: str, processes: tuple[facts.Process, ...]) -> Results:
        """Run a cell and record its last expression; errors as in :meth:`labkit.Lab.step`.

        Args:
            cell: what is run, in all processes.
            expression: its last expression as it is shown.
            processes: the lab's.
        """
        ended = self._ended(cell, "cells.run", "record")
        told = {p: record["recording"] for p, record in ended.records.items()}
        found = recording(of_records(told, expression, processes, ended.why))
        nothing = dict.fromkeys(told)
        return Results(nothing, ended.outputs, ended.why, self._client.count, found)

    def _require_complete(self, cell: Cell) -> None:
        """Refuse what seems to need processes that are not chosen."""
        if len(cell.chosen) < self._client.count:
            about, one = (cell.source, cell.chosen), cell.chosen[0]
            told = self._client.read("cells.static_check", "collectives", *about, chosen=[one])
            validation.complete(told[one], cell.chosen)

    def _ended(self, cell: Cell, module: str, function: str) -> _Ended:
        """Run one cell with a function of the engine, and check what it left."""
        label = self._label(cell)
        call = (module, function, self._number, label, cell.source, cell.namespace)
        wait = self._client.send_cell(cell.chosen, cell.deadline, label, *call)
        self._state.become("running")
        try:
            return self._checked(cell, wait)
        finally:
            if self._state.word == "running":  # an interrupt came at the very end
                self._state.become("unsafe", f"nobody checked the processes after {label}.")

    def _checked(self, cell: Cell, wait: Wait) -> _Ended:
        """Wait for the end of a cell; check that the processes are in step, and none has failed."""
        records = self._answers(cell, wait)
        seen = tuple(flight_recorder.flight(p, r["flight"]) for p, r in sorted(records.items()))
        if cell.by_learner:
            self.flights = seen
        outputs = wait.outputs(wait.roll_call())
        why = self._client.parted(seen, cell.source) or self._client.in_step(self._number)
        if not why:
            self._state.become("ready")
        failed = {output.process: output.error for output in outputs if output.error}
        if failed:
            raise ProcessError(failed, outputs)
        return _Ended(records, outputs, why)

    def _answers(self, cell: Cell, wait: Wait) -> dict[int, Any]:
        try:
            return self._client.answers(wait, cell.look)
        except (LabError, Interrupted) as error:
            error.outputs = wait.outputs(wait.roll_call())
            raise

    def flown(self) -> tuple[facts.Flight, ...]:
        """The flights of the learner's last cell.

        Raises:
            LabError: there was none, or it did not end.
        """
        if self.flights:
            return self.flights
        if not self.source:
            raise LabError("No cell has run yet. lab.timeline() draws the last one that ran.")
        raise LabError(
            "The last cell did not end: its processes have told nothing of what they launched. "
            "lab.roll_call() says where they are, lab.reset() makes the lab ready again."
        )

    def forget(self) -> None:
        """Its processes, or their group, are new: what ran before is no cell of theirs."""
        self.source, self.flights = "", ()

    def _label(self, cell: Cell) -> str:
        self._number += 1
        if not cell.by_learner:
            return cell.namespace
        self._learners += 1
        self.source, self.flights = cell.source, ()
        return f"cell {self._learners}"
