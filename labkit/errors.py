"""Every error a learner meets: what was given, what was expected, what to do next."""

from __future__ import annotations

from collections.abc import Mapping

from labkit.facts import Failure, Output, ReplicaReport, RollCall
from labkit.text.words import process_names


class LabError(Exception):
    """Base of all labkit errors.

    Attributes:
        outputs: what each process has made of the cell that ended so, one
            :class:`labkit.facts.Output` a process; empty where no cell had begun.
    """

    outputs: tuple[Output, ...] = ()

    def _render_traceback_(self) -> list[str]:
        # IPython shows this instead of a traceback through labkit's own files,
        # of which a learner can use nothing.
        return [f"{type(self).__name__}: {self}"]


class Interrupted(KeyboardInterrupt):
    """The wait was interrupted by the learner.

    Attributes:
        outputs: as of a :class:`LabError`.
    """

    outputs: tuple[Output, ...] = ()

    def _render_traceback_(self) -> list[str]:
        return [f"Interrupted: {self}"]


class StartError(LabError):
    """The lab could not start; nothing was left running."""


class Unsafe(LabError):
    """A collective was abandoned or the processes are out of step: no number may be trusted."""


class ProcessLost(LabError):
    """A process is gone.

    Attributes:
        by_process: process index → how it ended, in words.
    """

    def __init__(self, message: str, by_process: Mapping[int, str] | None = None) -> None:
        super().__init__(message)
        self.by_process = dict(by_process or {})


class NotArrived(LabError):
    """Somebody waited for the whole deadline and a process did not come.

    Attributes:
        roll_call: where every process was, a :class:`labkit.facts.RollCall`.
    """

    def __init__(self, message: str, roll_call: RollCall | None = None) -> None:
        super().__init__(message)
        self.roll_call = roll_call or RollCall(())


class ReplicasDiffer(LabError):
    """Devices that should hold the same bytes do not.

    Attributes:
        report: what differs, a :class:`labkit.facts.ReplicaReport`.
    """

    def __init__(self, message: str, report: ReplicaReport | None = None) -> None:
        super().__init__(message)
        self.report = report or ReplicaReport("")


class ProcessError(LabError):
    """The learner's code raised in one or more processes.

    Attributes:
        by_process: process index → :class:`labkit.facts.Failure`.
        shown: whether the learner has seen it in the columns of output; then a notebook points
            to them instead of telling it again.
    """

    def __init__(self, by_process: Mapping[int, Failure], outputs: tuple[Output, ...] = ()) -> None:
        self.by_process = dict(by_process)
        self.outputs, self.shown = outputs, False
        super().__init__(_summary(self.by_process))

    def _render_traceback_(self) -> list[str]:
        if self.shown:
            return [_short(self.by_process)]
        return super()._render_traceback_()


def _short(by_process: Mapping[int, Failure]) -> str:
    return f"ProcessError in {process_names(by_process)}: shown above, in its column."


def _summary(by_process: Mapping[int, Failure]) -> str:
    groups: dict[tuple, dict[int, Failure]] = {}
    for process, failure in sorted(by_process.items()):
        key = (failure.type, failure.message, failure.lines)
        groups.setdefault(key, {})[process] = failure
    helps = dict.fromkeys(failure.help for failure in by_process.values() if failure.help)
    said = [f"  {line}" for help_ in helps for line in help_.lines]
    return "\n".join([*map(_one, groups.values()), *said])


def _one(members: Mapping[int, Failure]) -> str:
    failure = next(iter(members.values()))
    lines = "".join(f"\n  {cell}, line {n}: {text.strip()}" for cell, n, text in failure.lines)
    return f"{process_names(members)}: {failure.type}: {failure.message}{lines}"
