"""The client: requests to the processes go out here, and are waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Any

from labkit import facts
from labkit.analysis import desync, flight_recorder
from labkit.cluster.cluster import Cluster
from labkit.cluster.remote_call import call
from labkit.errors import Interrupted, LabError, NotArrived, ProcessLost
from labkit.lab.roll_call import roll_call
from labkit.lab.state import RESET, LabState
from labkit.lab.watchdog import Wait, gone_words
from labkit.text.words import process_names

Look = Callable[[Wait], None]

_SHORT, _CHECK = 10.0, 5.0  # seconds, for the lab's own questions and for the in-step check
_NOT_MET = (
    "the processes did not meet in the check after the cell: a collective that one process "
    "started alone is in the way."
)


class EngineClient:
    """Sends engine calls and waits for the answers.

    Attributes:
        interrupt: set it from any thread to end the wait that is going on.
    """

    def __init__(self, cluster: Cluster, state: LabState) -> None:
        self._cluster, self._state = cluster, state
        self.interrupt = threading.Event()
        self._cell: Wait | None = None  # for the last cell, of which roll calls tell

    @property
    def count(self) -> int:
        """How many processes the lab has."""
        return self._cluster.processes

    def send(self, chosen: Iterable[int], module: str, function: str, *args: Any) -> dict[int, Any]:
        """Call ``labkit.engine.<module>.<function>`` in some processes.

        Returns:
            Process index → ipyparallel AsyncResult.
        """
        views = self._cluster.views()
        return {p: views[p].apply_async(call, module, function, *args) for p in chosen}

    def send_cell(self, chosen: Iterable[int], deadline: float, label: str, *call: Any) -> Wait:
        """Send a cell to some processes; from now on roll calls tell of it.

        Args:
            chosen: the processes.
            deadline: seconds that somebody may wait for somebody.
            label: the cell's name.
            call: module, function and arguments, as of :meth:`send`.

        Returns:
            What waits for it.
        """
        requests = self.send(chosen, *call)
        self._cell = self._wait_for(requests, deadline, label)
        return self._cell

    def _wait_for(
        self, requests: Mapping[int, Any], deadline: float, what: str, short: bool = False
    ) -> Wait:
        there = self._cluster
        about = (there.gone, there.processes, deadline, self.interrupt, what)
        return Wait(requests, *about, short, there.why_gone)

    def answers(
        self, wait: Wait, look: Look = lambda wait: None, reads: bool = False
    ) -> dict[int, Any]:
        """Wait until all have answered; the lab's state follows what goes wrong.

        Args:
            wait: what is waited for.
            look: called with it, again and again.
            reads: answering communicates with nobody, so that nothing is broken when nobody waits.

        Returns:
            Process index → its answer.
        """
        self.interrupt.clear()
        try:
            wait.run(partial(self._at_a_look, look))
        except ProcessLost as lost:
            self._state.become("lost", gone_words(lost.by_process))
            raise
        except BaseException as error:
            if not reads:
                self._state.become("unsafe", _broken(error, wait.what))
            if isinstance(error, KeyboardInterrupt):
                way_out = "" if reads else f" {RESET}"
                raise Interrupted(f"{wait.what} was interrupted.{way_out}") from None
            raise
        finally:
            self._state.waiting = False
        return wait.answers()

    def _at_a_look(self, look: Look, wait: Wait) -> None:
        self._state.waiting = wait.waiting
        look(wait)

    def ask(
        self,
        module: str,
        function: str,
        *args: Any,
        deadline: float = _SHORT,
        chosen: Iterable[int] | None = None,
    ) -> dict[int, Any]:
        """A short question to every process, or some: process index → its answer."""
        return self._ask(module, function, args, deadline, chosen)

    def read(
        self,
        module: str,
        function: str,
        *args: Any,
        deadline: float | None = None,
        chosen: Iterable[int] | None = None,
    ) -> dict[int, Any]:
        """The same where answering communicates with nobody.

        Raises:
            LabError: a process is busy with what the lab did not send; the lab is as it was.
        """
        seconds = _SHORT if deadline is None else deadline
        try:
            return self._ask(module, function, args, seconds, chosen, reads=True)
        except NotArrived as error:
            if self._state.word == "unsafe":
                raise  # it is stuck in an earlier cell
            raise LabError(_busy(error, seconds)) from None

    def _ask(
        self,
        module: str,
        function: str,
        args: tuple[Any, ...],
        deadline: float,
        chosen: Iterable[int] | None,
        reads: bool = False,
    ) -> dict[int, Any]:
        chosen = range(self._cluster.processes) if chosen is None else chosen
        requests = self.send(chosen, module, function, *args)
        what = f"a question of the lab's own ({function})"
        return self.answers(self._wait_for(requests, deadline, what, short=True), reads=reads)

    def in_step(self, number: int) -> str:
        """One collective with a number only this cell can give.

        Args:
            number: the cell's number.

        Returns:
            Why the processes are out of step, and the lab is ``unsafe`` then; empty: in step.
        """
        why = self._in_step(number)
        if why and self._state.word != "lost":
            self._state.become("unsafe", why)
        return why

    def roll_call(self) -> facts.RollCall:
        """Where every process is, also while the lab is unsafe."""
        if self._cell is None:
            return roll_call({}, self._cluster.gone(), self._cluster.processes, "")
        if not self._cell.unanswered():
            return roll_call({}, self._cluster.gone(), self._cell.count, self._cell.what)
        return self._cell.roll_call()

    def unanswered(self) -> dict[int, Any]:
        """Process index → request of the last cell, for those that have not answered it."""
        return {} if self._cell is None else self._cell.unanswered()

    def parted(self, seen: tuple[facts.Flight, ...], source: str) -> str:
        """Where a cell's launches parted, and the lab is ``unsafe`` then; or empty.

        Args:
            seen: the flights of the cell's processes.
            source: the cell.
        """
        if any(flight.capped or flight.yielded for flight in seen):
            return ""
        if len(seen) < self.count and not any(map(flight_recorder.joins, seen)):
            return ""  # what some processes run alone and joins nobody harms nobody
        about = (seen, self._cluster.devices, source)
        why = desync.parted(*about) and desync.parted(*about, self._programs(seen))
        if why:
            self._state.become("unsafe", why)
        return why

    def _programs(self, seen: tuple[facts.Flight, ...]) -> dict[int, list[Hashable]]:
        """Every launch by what its program is, wherever it was called; unknown ones apart."""
        told = self.read(
            "timeline.executables", "launched", chosen=[flight.process for flight in seen]
        )
        return {p: [h or (p, n) for n, h in enumerate(hashes)] for p, hashes in told.items()}

    def _in_step(self, number: int) -> str:
        try:
            told = self.ask("join", "in_step", number, deadline=_CHECK)
        except NotArrived:
            return _NOT_MET
        except ProcessLost as lost:
            return " ".join(str(lost).split())
        except Exception as error:
            return f"the check after the cell failed ({error})."
        off = [p for p, said in told.items() if set(said["got"]) != {said["expected"]}]
        return _out_of_step(off[0]) if off else ""


def _broken(error: BaseException, what: str) -> str:
    """Why the lab is unsafe after a wait that ended so."""
    if isinstance(error, NotArrived):
        return f"not every process arrived in {what}."
    if isinstance(error, KeyboardInterrupt):
        return f"{what} was interrupted, a collective may be in flight."
    return f"nobody waited for the end of {what}."


def _busy(error: NotArrived, seconds: float) -> str:
    late = [row.process for row in error.roll_call if row.state not in ("ended", "idle")]
    return (
        f"No answer within {seconds:g} s from {process_names(late)}: busy with something that the "
        "lab did not send (%%px?). Ask again when that has ended; lab.reset() ends it."
    )


def _out_of_step(process: int) -> str:
    return (
        "the processes are out of step: a collective that one process started alone has paired "
        f"with another one's (the check after the cell read a wrong sum on process {process})."
    )
