"""Where copies that differ go: which of them each value of a recorded program descends from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from labkit.facts.recording import Step, Value

Versions = Mapping[str, tuple[str, ...]]
"""Device label → the copies that what it holds descends from: ``("a",)``, ``("a", "a′")``."""


@dataclass(frozen=True, eq=False)
class Origin:
    """A value whose copies differ, and that takes this from no other value.

    Attributes:
        value: the value.
        step: the number of the step that makes it; -1 for an argument.
        versions: device label → which copy it has: ``("a′",)``.
    """

    value: Value
    step: int
    versions: Versions


@dataclass(frozen=True, eq=False)
class Trace:
    """A value that descends from copies that differ.

    Attributes:
        step: that makes it.
        value: the value.
        versions: device label → the copies it descends from; devices that descend from none of
            those that differ are missing.
        mixed: the step brings together what descends from different copies.
        hidden: it descends from different copies and is equal again wherever it should be, so no
            comparison of copies finds it.
    """

    step: Step
    value: Value
    versions: Versions
    mixed: bool = False
    hidden: bool = False


@dataclass(frozen=True, eq=False)
class Descent:
    """Where the copies that differ go in a recorded program.

    Attributes:
        expression: what was recorded.
        origins: where the differences come from; none when all copies agree.
        traces: every value that descends from them, in program order.
        results: the names of those that the program gives back.
        why: why nothing here may be trusted; empty when all may.
    """

    expression: str
    origins: tuple[Origin, ...] = ()
    traces: tuple[Trace, ...] = ()
    results: tuple[str, ...] = ()
    why: str = ""
