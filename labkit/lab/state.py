"""What state the lab is in, why, and what may be done in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labkit.errors import LabError, ProcessLost, Unsafe
from labkit.lab.watchdog import gone_words

RESET = "lab.reset() makes the lab ready again."


class LabState:
    """What the lab was said to be, and what can be seen of it now. To read it changes nothing.

    Attributes:
        waiting: somebody has not arrived; kept by whoever waits for the processes.
    """

    def __init__(self, gone: Callable[[], Mapping[int, str]]) -> None:
        """Begin in ``starting``.

        Args:
            gone: gives process index → how it ended, for processes that are not there any more.
        """
        self._said, self._why, self._gone = "starting", "", gone
        self.waiting = False

    @property
    def word(self) -> str:
        """``starting``, ``ready``, ``running``, ``waiting``, ``unsafe``, ``lost``, ``stopped``."""
        if self._just_lost():
            return "lost"
        if self._said == "running" and self.waiting:
            return "waiting"
        return self._said

    @property
    def why(self) -> str:
        """Why the lab is ``unsafe`` or ``lost``; empty otherwise."""
        return gone_words(self._gone()) if self._just_lost() else self._why

    def _just_lost(self) -> bool:
        """Whether a process is gone and nobody has said so yet."""
        return self._said in ("ready", "running", "unsafe") and bool(self._gone())

    def become(self, word: str, why: str = "") -> None:
        """Change; a stopped lab stays stopped."""
        if self._said != "stopped":
            self._said, self._why = word, why

    def require_not_stopped(self) -> None:
        """Refuse what needs processes.

        Raises:
            LabError: the lab was stopped.
        """
        if self._said == "stopped":
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
        if self._said == "unsafe":
            raise Unsafe(f"The lab is unsafe, no number may be trusted: {self.why} {RESET}")

    def require_readable(self, untrusted: bool) -> None:
        """Refuse to read numbers, unless from an unsafe lab by somebody who says so."""
        self.require_not_stopped()
        if not (untrusted and self.word == "unsafe"):
            self.require_safe()
