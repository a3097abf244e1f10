"""What a run of a loading program came to: who read which rows, and who holds which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labkit.explorers.batch.programs import Way
from labkit.explorers.scenes import Found
from labkit.facts import Array, RowsRead, Shard, Thing, Variable
from labkit.facts.labels import label_order
from labkit.text.letters import cuts
from labkit.text.words import process_names

NAMES = ("mesh", "batch", "data.read", "data.nbytes", "start", "end")
"""What is asked of the processes after each run."""

LATE = 0.3  # seconds; nobody is so late by chance


@dataclass(frozen=True)
class Loaded:
    """One run, told by the processes, beside the file that they read.

    Attributes:
        found: the facts of ``NAMES``.
        table: the whole file, read apart from the processes.
        rows: how many rows a batch has.
        parts: into how many slices the data axis cuts it.
        way: how they loaded.
    """

    found: Found
    table: np.ndarray
    rows: int
    parts: int
    way: Way

    @cached_property
    def arrays(self) -> tuple[Array, ...]:
        """The batch as the processes believe in it: one array if they agree, none if none is."""
        return self.found["batch"].arrays

    @cached_property
    def slices(self) -> list[int]:
        """Row of the file → number of the slice of its batch that it belongs to."""
        each = self.rows // self.parts
        return [row % self.rows // each for row in range(self.rows * self.way.batches)]

    @cached_property
    def readers(self) -> tuple[RowsRead, ...]:
        """One line a process: the rows that its reader took from the file."""
        read = by_process(self.found["data.read"])
        nbytes, start, end = (
            by_process(self.found[name]) for name in ("data.nbytes", "start", "end")
        )
        return tuple(
            RowsRead(
                f"process {p}",
                tuple(int(row) for row in read[p]),
                int(nbytes[p]),
                end[p] - start[p] if end[p] else 0.0,
            )
            for p in sorted(read)
        )

    @cached_property
    def holders(self) -> tuple[RowsRead, ...]:
        """One line a device: the rows whose contents it holds."""
        known = {row.tobytes(): number for number, row in enumerate(self.table)}
        held = (s for array in self.arrays for s in array.shards)
        shards = sorted(held, key=lambda shard: label_order(shard.device))
        return tuple(RowsRead(s.device, tuple(known.get(r) for r in _rows(s))) for s in shards)

    @cached_property
    def differ(self) -> bool:
        """Whether devices that should hold copies hold other bytes."""
        return any(cut.differ for group in cuts(self.found["batch"]) for cut in group)

    @cached_property
    def nowhere(self) -> list[int]:
        """Rows of the batch that no device holds."""
        held = {row for line in self.holders for row in line.rows}
        return [row for row in range(self.rows - self.way.short) if row not in held]

    @cached_property
    def twice(self) -> list[int]:
        """Rows that are in the batch at more than one place."""
        places: dict[int | None, set[int]] = {}
        for array in self.arrays:
            for shard in array.shards:
                for at, row in enumerate(self._held[shard.device]):
                    places.setdefault(row, set()).add(shard.index[0][0] + at)
        return sorted(row for row, at in places.items() if row is not None and len(at) > 1)

    @cached_property
    def _held(self) -> Mapping[str, tuple[int | None, ...]]:
        return {line.who: line.rows for line in self.holders}

    @property
    def nbytes(self) -> int:
        """Bytes that all readers took together."""
        return sum(line.nbytes for line in self.readers)

    @property
    def batch_bytes(self) -> int:
        """Bytes of the batch itself, each row once."""
        return (self.rows * self.way.batches - self.way.short) * self.table[0].nbytes

    @cached_property
    def early(self) -> str:
        """Who was done before whom began, in words; empty where nobody was."""
        start, end = (by_process(self.found[name]) for name in ("start", "end"))
        last = max(start, key=lambda process: start[process])
        done = [p for p in start if end[p] and end[p] < start[last] - LATE]
        if not done:
            return ""
        wait = start[last] - max(end[p] for p in done)
        return f"{process_names(done)} had it {wait:.2f} s before process {last} began"


def by_process(variable: Variable) -> dict[int, np.ndarray | float | None]:
    """Process → its number, or the numbers of its array; None for Python's None."""
    return {p: _plain(view.value) for view in variable.views for p in view.processes}


def _plain(value: Array | Thing) -> np.ndarray | float | None:
    if isinstance(value, Array):
        return value.shards[0].value
    return None if value.type == "NoneType" else float(value.text)


def _rows(shard: Shard) -> Sequence[bytes]:
    return [row.tobytes() for row in np.ascontiguousarray(shard.value)]


def times(rows: Sequence[int]) -> int:
    """How often the row that was read most often was read; 0 where none was."""
    return max(Counter(rows).values(), default=0)
