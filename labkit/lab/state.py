"""What state the lab is in, why, and what may be done in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labkit.errors import LabError, ProcessLost, Unsafe
from labkit.lab.watchdog import gone_words

RESET = "lab.reset() makes the lab ready again."


class LabState:
    """One of the state words, and the reason for the bad ones.

    Attributes:
        why: why the lab is ``unsafe`` or ``lost``; empty otherwise.
        waiting: told by whoever waits for the processes: somebody has not arrived.
    """

    def __init__(self, gone: Callable[[], Mapping[int, str]]) -> None:
        """Begin in ``starting``.

        Args:
            gone: gives process index → how it ended, for processes that are not there any more.
        """
        self._word, self.why, self._gone = "starting", "", gone
        self.waiting: Callable[[], bool] = lambda: False

    @property
    def word(self) -> str:
        """``starting``, ``ready``, ``running``, ``waiting``, ``unsafe``, ``lost``, ``stopped``."""
        if self._word in ("ready", "running", "unsafe") and self._gone():
            self.become("lost", gone_words(self._gone()))
        if self._word == "running" and self.waiting():
            return "waiting"
        return self._word

    def become(self, word: str, why: str = "") -> None:
        """Change; a stopped lab stays stopped."""
        if self._word != "stopped":
            self._word, self.why = word, why

    def require_not_stopped(self) -> None:
        """Refuse what needs processes.

        Raises:
            LabError: the lab was stopped.
        """
        if self._word == "stopped":
            raise LabError("This lab was stopped. labkit.start() starts a new one.")

    def require_safe(self) -> None:
        """Refuse what needs processes in step.

        Raises:
            ProcessLost: a process is gone.
            Unsafe: the processes are, or may be, out of step.
        """
        self.require_not_stopped()
        if self.word == "lost":
            raise ProcessLost(f"The lab is lost: {self.why}. {RESET}", self._gone())
        if self._word == "unsafe":
            raise Unsafe(f"The lab is unsafe, no number may be trusted: {self.why} {RESET}")

    def require_readable(self, untrusted: bool) -> None:
        """Refuse to read numbers, unless from an unsafe lab by somebody who says so."""
        self.require_not_stopped()
        if not (untrusted and self.word == "unsafe"):
            self.require_safe()
