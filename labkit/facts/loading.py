"""Which rows of a data set somebody read or holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RowsRead:
    """The rows of one process or of one device.

    Attributes:
        who: ``"process 0"`` or ``"p0·d0"``.
        rows: row numbers in their order, one that was read twice is there twice; None for a
            row that is not in the data set.
        nbytes: bytes read for them; 0 where nothing was read.
        seconds: how long it took, None where that was not measured.
    """

    who: str
    rows: tuple[int | None, ...] = ()
    nbytes: int = 0
    seconds: float | None = None
