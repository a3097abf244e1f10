"""A roll call: where every process is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ProcessStatus:
    """One process in a roll call.

    Attributes:
        process: its index.
        state: ``idle`` (no cell), ``running``, ``waiting`` (stands still in a call of JAX),
            ``finishing`` (its lines are done, it waits for work they started), ``ended``,
            ``failed`` (its cell ended with an exception) or ``gone``.
        line: the line of the cell it is in, 0 if none.
        text: that line's source.
        program: the program over several devices it launched last and that has not ended.
        seconds: for how long it has been so.
        how: the exception, or how the process ended.
    """

    process: int
    state: str
    line: int = 0
    text: str = ""
    program: str = ""
    seconds: float = 0.0
    how: str = ""

    @property
    def words(self) -> str:
        """The row as a sentence without its subject: ``"waits in line 4 (3 s): y = f(x)"``."""
        since = f" ({self.seconds:.0f} s)" if self.seconds >= 1 else ""
        where = f" in line {self.line}{since}: {self.text}" if self.line else since
        program = f" [{self.program}]" if self.program else ""
        return _WORDS[self.state].format(how=self.how) + where + program


_WORDS = {
    "idle": "is idle",
    "running": "runs",
    "waiting": "waits",
    "finishing": "is at the end of its cell and waits for work it started",
    "ended": "has ended its cell",
    "failed": "ended its cell with {how}",
    "gone": "is gone ({how})",
}


@dataclass(frozen=True)
class RollCall:
    """Where every process is.

    Attributes:
        rows: one a process, in order.
        cause: one sentence with the likely cause, empty while nobody waits.
        cell: the cell they are in, or were in last.
    """

    rows: tuple[ProcessStatus, ...]
    cause: str = ""
    cell: str = ""

    def __iter__(self) -> Iterator[ProcessStatus]:
        return iter(self.rows)

    def __getitem__(self, process: int) -> ProcessStatus:
        return self.rows[process]

    def __len__(self) -> int:
        return len(self.rows)
