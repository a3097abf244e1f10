"""Facts that draw themselves at the end of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from labkit import draw, facts
from labkit.display.notebook import in_notebook

_Kind = TypeVar("_Kind")


def able(kind: type[_Kind], found: Any, **more: Any) -> _Kind:
    """The same facts as one of a class that can show itself, and what more that one has."""
    return kind(**{item.name: getattr(found, item.name) for item in fields(found)}, **more)


class _Drawn:
    """What has a picture: it is shown by it in a notebook, and by its words elsewhere."""

    def picture(self) -> draw.Picture:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.picture().text

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return self.picture()._repr_mimebundle_(**kwargs)


@dataclass(frozen=True, repr=False)
class DrawnRollCall(_Drawn, facts.RollCall):
    """A roll call that is a picture in a notebook.

    Attributes:
        processes: the lab's processes, in order.
    """

    processes: tuple[facts.Process, ...] = ()

    def picture(self) -> draw.Picture:
        """Who waits where, and who is not there."""
        return draw.roll_call(self, self.processes)


def roll_call(found: facts.RollCall, processes: Sequence[facts.Process]) -> DrawnRollCall:
    """The roll call, able to draw itself."""
    return able(DrawnRollCall, found, processes=tuple(processes))


@dataclass(frozen=True, repr=False)
class DrawnTiming(_Drawn, facts.Timing):
    """Calls that were compared, as a picture in a notebook."""

    def picture(self) -> draw.Picture:
        """A strip a call, a dot a round."""
        return draw.measured(self)


def measured(found: facts.Timing) -> DrawnTiming:
    """The comparison, able to draw itself."""
    return able(DrawnTiming, found)


@dataclass(frozen=True, repr=False)
class DrawnTimeline(draw.Picture):
    """The picture of a whole timeline; in a notebook it stands on a stage that zooms and links.

    Attributes:
        facts: what is drawn.
        processes: the lab's processes, in order.
        source: the cell.
        why: why no number of the cell may be trusted; empty when they may.
    """

    facts: facts.Timeline = field(default_factory=facts.Timeline)
    processes: tuple[facts.Process, ...] = ()
    source: str = ""
    why: str = ""

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        still = super()._repr_mimebundle_()
        if not in_notebook():
            return still
        from labkit.widgets.timeline import stage  # widgets are needed nowhere else

        data, metadata = stage(
            self.facts, self.processes, self.source, self.why
        )._repr_mimebundle_()
        return {**data, **still}, metadata


def timeline(
    found: facts.Timeline, processes: Sequence[facts.Process], source: str, why: str
) -> DrawnTimeline:
    """The timeline, able to put itself on a stage."""
    picture = draw.timeline(found, processes, why=why)
    return able(
        DrawnTimeline, picture, facts=found, processes=tuple(processes), source=source, why=why
    )


@dataclass(frozen=True, eq=False, repr=False)
class DrawnReplicaReport(_Drawn, facts.ReplicaReport):
    """A report on copies that is a picture in a notebook, and words elsewhere.

    Attributes:
        processes: those that were asked, in order.
    """

    processes: tuple[facts.Process, ...] = ()

    def picture(self) -> draw.Picture:
        """The tree with the odd leaf marked, devices in groups, the block that differs."""
        return draw.replicas(self, self.processes)


def report(found: facts.ReplicaReport, processes: Sequence[facts.Process]) -> DrawnReplicaReport:
    """The report, able to draw itself."""
    return able(DrawnReplicaReport, found, processes=tuple(processes))


@dataclass(frozen=True, eq=False, repr=False)
class DrawnDescent(_Drawn, facts.Descent):
    """Where copies that differ go, as a picture in a notebook and in words elsewhere.

    Attributes:
        processes: that ran the program, in order.
    """

    processes: tuple[facts.Process, ...] = ()

    def picture(self) -> draw.Picture:
        """A row for each value that descends from them, a column a device."""
        return draw.descent(self, self.processes)


def descent(found: facts.Descent, processes: Sequence[facts.Process]) -> DrawnDescent:
    """The descent, able to draw itself."""
    return able(DrawnDescent, found, processes=tuple(processes))
