"""Wait for processes without ever waiting for ever: where each stands, the deadline, the dead.

The deadline counts only while somebody waits: one process has ended its cell, or stands in a
collective, and another has not come. Where all are busy there is no deadline.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from labkit import facts
from labkit.errors import Interrupted, NotArrived, ProcessLost
from labkit.lab.roll_call import outputs, place, roll_call, stands_still

_TICK = 0.02
_AFTERMATH = 0.3  # seconds; one death often brings others: name them together


class Wait:
    """One request in several processes, until all have answered.

    Attributes:
        requests: process index → ipyparallel AsyncResult.
        waiting: whether somebody is waiting for somebody, now.
    """

    def __init__(
        self,
        requests: Mapping[int, Any],
        gone: Callable[[], Mapping[int, str]],
        count: int,
        deadline: float,
        interrupt: threading.Event,
        what: str,
        short: bool = False,
        why_gone: Callable[[], facts.Help | None] = lambda: None,
    ) -> None:
        """Prepare to wait.

        Args:
            requests: process index → ipyparallel AsyncResult.
            gone: gives process index → how it ended.
            count: how many processes the lab has.
            deadline: seconds that somebody may wait for somebody.
            interrupt: set by whoever wants to end the wait.
            what: the cell's name, or what else is waited for.
            short: a question of the lab's own, for which nobody may be busy: the deadline always
                counts. Where all processes are stuck in an earlier cell, nobody else would notice.
            why_gone: gives what is known about the end of those that are gone.
        """
        self.requests, self.gone, self.count = dict(requests), gone, count
        self.why_gone = why_gone
        self.deadline, self.interrupt, self.what, self.short = deadline, interrupt, what, short
        self.waiting = False
        self._since: float | None = None
        self._stands: list[float] = []  # since when those who stand still do so

    def run(self, look: Callable[[Wait], None] = lambda wait: None) -> None:
        """Return when every process has answered.

        Args:
            look: called with this wait, fifty times a second: what is not shown each time should
                not be made each time.

        Raises:
            NotArrived: somebody waited for the whole deadline.
            ProcessLost: a process is gone.
            Interrupted: the learner ended the wait.
        """
        while still := self.unanswered():
            self._check()
            look(self)
            next(iter(still.values())).wait(_TICK)
        self.waiting = False

    def unanswered(self) -> dict[int, Any]:
        """The requests that have not been answered yet."""
        return {p: request for p, request in self.requests.items() if not request.ready()}

    def answers(self) -> dict[int, Any]:
        """Process index → its answer, once all have answered."""
        return {p: request.get(0) for p, request in self.requests.items()}

    def _check(self) -> None:
        if self.gone():
            time.sleep(_AFTERMATH)
            raise _lost(self.gone(), self.what, self.why_gone())
        if self.interrupt.is_set():
            raise Interrupted
        self._clock()

    def _clock(self) -> None:
        still = self.unanswered()
        some_ended = bool(still) and len(still) < len(self.requests)
        stands = [place(r)["since"] for r in still.values() if stands_still(r)]
        self.waiting = some_ended or bool(stands)
        moved, self._stands = self._stands != stands, stands
        if not (self.waiting or self.short):
            self._since = None
        elif self._since is None or moved:
            self._since = time.monotonic()
        elif time.monotonic() - self._since > self.deadline:
            raise self._not_arrived()

    def roll_call(self) -> facts.RollCall:
        """Where every process is."""
        return roll_call(self.requests, self.gone(), self.count, self.what)

    def outputs(self, roll: facts.RollCall) -> tuple[facts.Output, ...]:
        """What every process has made of the cell so far, and what it does by this roll call."""
        return outputs(self.requests, roll)

    def _not_arrived(self) -> NotArrived:
        roll = self.roll_call()
        rows = "\n".join(f"  process {row.process} {row.words}" for row in roll)
        return NotArrived(
            f"Not every process arrived in {self.what}; somebody waited {self.deadline:g} s.\n"
            f"{rows}\n{roll.cause} lab.reset() makes the lab ready again.",
            roll,
        )


def gone_words(gone: Mapping[int, str]) -> str:
    """``process 1 is gone (exit status 3)``."""
    return "; ".join(f"process {p} is gone ({how})" for p, how in sorted(gone.items()))


def _lost(gone: Mapping[int, str], what: str, help_: facts.Help | None) -> ProcessLost:
    message = (
        f"{gone_words(gone)}, during {what}. lab.reset() makes the lab ready again; "
        f"lab.log({min(gone)}) shows what it wrote last."
    )
    return ProcessLost("\n  ".join((message, *(help_.lines if help_ else ()))), gone)
