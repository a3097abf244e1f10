"""Cells: numbered, run in the chosen processes, checked to have left them in step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labkit import facts
from labkit.analysis import flight_recorder
from labkit.analysis.outputs import values
from labkit.display import results
from labkit.errors import LabError, ProcessError
from labkit.lab.engine_client import EngineClient
from labkit.lab.state import LabState

DEADLINE = 25.0

Progress = Callable[[tuple[facts.Output, ...]], None]


class Cells:
    """Runs one cell after another."""

    def __init__(self, client: EngineClient, state: LabState) -> None:
        self._client, self._state = client, state
        self._number = 0  # of everything that was run; the in-step check's own number
        self._learners = 0  # of the learner's cells, which are called by it
        self.source = ""  # of the learner's last cell
        self.flights: tuple[facts.Flight, ...] = ()  # of the same; none where it did not end

    def run(
        self,
        source: str,
        chosen: tuple[int, ...],
        deadline: float,
        namespace: str | None,
        progress: Progress,
        step: bool = False,
    ) -> results.Results:
        """Run one cell; arguments and errors as in :meth:`labkit.Lab.run`.

        With ``step``, its last expression is recorded.
        """
        label = self._label(source, namespace)
        what = self._number, label, source, namespace, step
        requests = self._client.send(chosen, "cells.run", "run", *what)
        self._state.become("running")
        try:
            self._await(requests, deadline, label, progress)
            records = {p: request.get(0) for p, request in requests.items()}
            seen = tuple(flight_recorder.flight(p, r["flight"]) for p, r in sorted(records.items()))
            if namespace is None:
                self.flights = seen
            return self._finish(source, seen, self._client.wait.outputs(), records)
        finally:
            if self._state.word == "running":  # an interrupt came at the very end
                self._state.become("unsafe", f"nobody checked the processes after {label}.")

    def _await(
        self, requests: Mapping[int, Any], deadline: float, label: str, progress: Progress
    ) -> None:
        try:
            self._client.await_all(requests, deadline, label, lambda wait: progress(wait.outputs()))
        except BaseException as error:
            error.outputs = self._client.wait.outputs()
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

    def _label(self, source: str, namespace: str | None) -> str:
        self._number += 1
        if namespace is not None:
            return namespace
        self._learners += 1
        self.source, self.flights = source, ()
        return f"cell {self._learners}"

    def _finish(
        self,
        source: str,
        seen: tuple[facts.Flight, ...],
        outputs: tuple[facts.Output, ...],
        records: Mapping[int, Any],
    ) -> results.Results:
        """Check that the processes are in step, then give the results or the exceptions."""
        why = self._client.parted(seen, source) or self._client.in_step(self._number)
        if not why:
            self._state.become("ready")
        done = results.Results(values(records), outputs, why, self._client.count)
        done.told = {p: record["recording"] for p, record in records.items()}
        failed = {output.process: output.error for output in outputs if output.error}
        if failed:
            error = ProcessError(failed)
            error.outputs, error.results = outputs, done
            raise error
        return done
