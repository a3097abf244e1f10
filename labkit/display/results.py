"""What a cell gave: values by process, and everything the learner sees of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from labkit import draw, facts

if TYPE_CHECKING:
    from labkit.display.recording import Recording


class Results(Mapping[int, Any]):
    """Process index → value of the cell's last expression, as plain data.

    Arrays are numpy arrays; an array that spans processes is a :class:`labkit.facts.Array`.

    Attributes:
        trusted: whether the processes were in step after the cell.
        why: the reason if they were not, else empty.
        outputs: what each process printed and showed, one ``facts.Output`` a process.
        recording: what was recorded, a :class:`labkit.Recording`; None where nothing was.
    """

    def __init__(
        self,
        values: Mapping[int, Any],
        outputs: tuple[facts.Output, ...],
        why: str = "",
        count: int = 0,
        recording: Recording | None = None,
    ) -> None:
        self._values, self._count = dict(values), count
        self.recording = recording
        self.outputs, self.why, self.trusted = outputs, why, not why

    def __getitem__(self, process: int) -> Any:
        return self._values[process]

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def picture(self) -> draw.Picture:
        """The columns of output."""
        return columns(self.outputs, self.why, self._count)

    def __repr__(self) -> str:
        mark = f" (not to be trusted: {self.why})" if self.why else ""
        return f"Results({self._values!r}){mark}"


def columns(outputs: tuple[facts.Output, ...], why: str = "", count: int = 0) -> draw.Picture:
    """The columns of output, complete or not yet.

    Args:
        outputs: one for each process that ran the cell.
        why: why no number may be trusted, if so.
        count: how many processes the lab has; 0: those that ran the cell.
    """
    return draw.columns(outputs, tuple(range(count)) or [o.process for o in outputs], why=why)
