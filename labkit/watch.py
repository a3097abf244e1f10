"""Wait for processes without ever waiting for ever: places, deadline, the dead.

The deadline counts only while somebody waits: one process has ended its cell, or stands in a
collective, and another has not come. Where all are busy there is no deadline.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from labkit import facts, results
from labkit.errors import NotArrived, ProcessLost

_TICK = 0.02
_TRAILING = 5.0
_AFTERMATH = 0.3  # seconds; one death often brings others: name them together


class Interrupted(KeyboardInterrupt):
    """The wait was interrupted by the learner."""


class Wait:
    """One request in several processes, until all have answered.

    Attributes:
        requests: process index → ipyparallel AsyncResult.
        waiting: whether somebody is waiting for somebody, now.
        short: a question of the lab's own, for which nobody may be busy: the deadline always
            counts. Where all processes are stuck in an earlier cell, nobody else would notice.
    """

    def __init__(
        self,
        requests: Mapping[int, Any],
        gone: Callable[[], Mapping[int, str]],
        deadline: float,
        interrupt: threading.Event,
        what: str = "the cell",
        short: bool = False,
    ) -> None:
        self.requests, self.gone, self.deadline = dict(requests), gone, deadline
        self.interrupt, self.what, self.short = interrupt, what, short
        self.waiting = False
        self._since: float | None = None

    def run(self, progress: Callable[[Wait], None] = lambda wait: None) -> None:
        """Return when every process has answered.

        Args:
            progress: called at every look.

        Raises:
            NotArrived: somebody waited for the whole deadline.
            ProcessLost: a process is gone.
            Interrupted: the learner ended the wait.
        """
        while still := self._open():
            self._look()
            progress(self)
            next(iter(still.values())).wait(_TICK)

    def _open(self) -> dict[int, Any]:
        return {p: request for p, request in self.requests.items() if not request.ready()}

    def _look(self) -> None:
        if self.gone():
            time.sleep(_AFTERMATH)
            raise _lost(self.gone(), self.what)
        if self.interrupt.is_set():
            raise Interrupted
        self._clock()

    def _clock(self) -> None:
        still = self._open()
        somebody = self.short or len(still) < len(self.requests)
        self.waiting = bool(still) and (somebody or any(self._place(p)["waiting"] for p in still))
        if not self.waiting:
            self._since = None
        elif self._since is None:
            self._since = time.monotonic()
        elif time.monotonic() - self._since > self.deadline:
            raise self._not_arrived()

    def _place(self, process: int) -> dict[str, Any]:
        found = dict(self.requests[process].data).get("where")
        return found or {"waiting": False, "line": 0, "phase": "running", "text": ""}

    def doing(self, process: int) -> str:
        """What a process is doing, in words; empty when it has answered."""
        if self.requests[process].ready():
            return ""
        place = self._place(process)
        if place["phase"] == "finishing":
            return "at the end of the cell, waits for work it started"
        verb = "waits" if place["waiting"] else "runs"
        return f"{verb} in line {place['line']}: {place['text']}" if place["line"] else "runs"

    def outputs(self) -> tuple[facts.Output, ...]:
        """What every process has made of the cell so far."""
        return tuple(self._output(process) for process in sorted(self.requests))

    def _output(self, process: int) -> facts.Output:
        request, record = self.requests[process], None
        if request.ready() and request.successful():
            request.wait_for_output(_TRAILING)  # prints may come after the answer
            record = request.get(0)
        text = request.stdout + request.stderr
        return results.output(process, record, text, self.doing(process))

    def _not_arrived(self) -> NotArrived:
        roll = {p: self.doing(p) or "has ended the cell" for p in self.requests}
        rows = "\n".join(f"  process {p}: {words}" for p, words in sorted(roll.items()))
        return NotArrived(
            f"Not every process arrived in {self.what}; somebody waited {self.deadline:g} s:\n"
            f"{rows}\n"
            "A collective needs every process. lab.reset() makes the lab ready again.",
            roll,
        )


def gone_words(gone: Mapping[int, str]) -> str:
    """``process 1 is gone (exit status 3)``."""
    return "; ".join(f"process {p} is gone ({how})" for p, how in sorted(gone.items()))


def _lost(gone: Mapping[int, str], what: str) -> ProcessLost:
    return ProcessLost(
        f"{gone_words(gone)}, during {what}. lab.reset() makes the lab ready again; "
        f"lab.log({min(gone)}) shows what it wrote last.",
        gone,
    )
