"""Cells: numbered, run in the chosen processes, checked to have left them in step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labkit import facts, flights, results
from labkit.condition import Condition
from labkit.desk import Desk
from labkit.errors import ProcessError

DEADLINE = 25.0

Progress = Callable[[tuple[facts.Output, ...]], None]


class Cells:
    """Runs one cell after another."""

    def __init__(self, desk: Desk, condition: Condition) -> None:
        self._desk, self._condition = desk, condition
        self._number = 0  # of everything that was run; the in-step check's own number
        self._learners = 0  # of the learner's cells, which are called by it
        self.flights: tuple[facts.Flight, ...] = ()  # of the last cell

    def run(
        self,
        source: str,
        chosen: tuple[int, ...],
        deadline: float,
        namespace: str | None,
        progress: Progress,
    ) -> results.Results:
        """Run one cell; arguments and errors as in :meth:`labkit.lab.Lab.run`."""
        label = self._label(namespace)
        requests = self._desk.send(chosen, "cell", "run", self._number, label, source, namespace)
        self._condition.become("running")
        try:
            self._desk.await_all(requests, deadline, label, lambda wait: progress(wait.outputs()))
        except BaseException as error:
            error.outputs = self._desk.wait.outputs()
            raise
        outputs = self._desk.wait.outputs()
        self._condition.become("ready")
        records = {p: request.get(0) for p, request in requests.items()}
        return self._finish(source, outputs, records)

    def _label(self, namespace: str | None) -> str:
        self._number += 1
        if namespace is not None:
            return namespace
        self._learners += 1
        return f"cell {self._learners}"

    def _finish(
        self, source: str, outputs: tuple[facts.Output, ...], records: Mapping[int, Any]
    ) -> results.Results:
        """Check that the processes are in step, then give the results or the exceptions."""
        self.flights = tuple(flights.flight(p, r["flight"]) for p, r in sorted(records.items()))
        why = self._desk.parted(self.flights, source) or self._desk.in_step(self._number)
        done = results.Results(results.values(records), outputs, why, self._desk.count)
        failed = {output.process: output.error for output in outputs if output.error}
        if failed:
            error = ProcessError(failed)
            error.outputs, error.results = outputs, done
            raise error
        return done
