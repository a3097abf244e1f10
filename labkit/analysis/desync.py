"""What each process launched in a cell, compared: where two of them part.

An in-step check cannot see that two processes called the same number of collectives in
another order, or with another operation: the calls pair off and give wrong numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from labkit import facts
from labkit.analysis.flight_recorder import is_collective, operations


def parted(
    flights: Sequence[facts.Flight],
    devices: int,
    source: str,
    names: Mapping[int, Sequence[Hashable]] | None = None,
) -> str:
    """Where the processes' launches first differ, in words; empty if they do not.

    Only programs over devices of several processes are compared: each of those processes has to
    launch them, and in one order.

    Args:
        flights: one a process.
        devices: how many each process has.
        source: the cell, to quote the lines.
        names: process → what each of its launches is called, in order; None: by its run_id.
    """
    each = [list(_rows(f, devices, names[f.process] if names else None)) for f in flights]
    rows = [row for rows in each for row in rows]
    while any(row.left for row in rows):
        name = _together(rows)
        if name is None:
            pairs = zip(flights, each, strict=True)
            said = "; ".join(_side(flight, _first(rows), source) for flight, rows in pairs)
            return f"the processes launched different programs: {said}."
        for row in rows:
            row.pass_by(name)
    return ""


def _first(rows: Sequence[_Row]) -> facts.Launch | None:
    """What comes next in a process."""
    comes = (row.next for row in rows if row.next)
    return min(comes, key=lambda launch: launch.start, default=None)


def _together(rows: Sequence[_Row]) -> Hashable | None:
    """What comes next on all its devices, but for those whose recorder may have missed it.

    None where they part.
    """
    heads = [row.left[0] for row in rows if row.left]
    for known in (True, False):  # what still comes in a row was hardly missed there
        for name, launch in heads:
            here = sum(row.next.devices for row in rows if row.is_next(name))
            missed = sum(row.devices for row in rows if row.may_have_missed(name, known))
            if here + missed >= launch.partitions:
                return name
    return None


def _rows(flight: facts.Flight, devices: int, names: Sequence[Hashable] | None) -> Iterator[_Row]:
    """What one process launched with others: on several of its devices, and on each alone.

    Only within such a row is the order certain, and of any meaning: collectives of other groups
    of devices do not get in each other's way.
    """
    launches = [launch for launch in flight.launches if launch.spans]
    at = {bar.run_id: bar.device for bar in flight.bars}
    rows: dict[str, list[tuple[Hashable, facts.Launch]]] = {"": []}
    for name, launch in zip(names or [n.run_id for n in launches], launches, strict=True):
        alone = at.get(launch.run_id, "") if launch.devices == 1 else ""
        rows.setdefault(alone, []).append((name, launch))
    return (_Row(left, 1 if alone else devices, flight.gaps) for alone, left in rows.items())


class _Row:
    """A row of launches, from the first that is not compared yet."""

    def __init__(
        self,
        left: list[tuple[Hashable, facts.Launch]],
        devices: int,
        gaps: Sequence[tuple[int, int]],
    ) -> None:
        self.left, self.devices, self.gaps, self.since = left, devices, gaps, 0

    @property
    def next(self) -> facts.Launch | None:
        return self.left[0][1] if self.left else None

    def is_next(self, name: Hashable) -> bool:
        return bool(self.left) and self.left[0][0] == name

    def may_have_missed(self, name: Hashable, known: bool) -> bool:
        """Whether the recorder was read before the next launch, and may have lost this one there.

        Args:
            name: the launch.
            known: whether one that comes later in this row counts as recorded.
        """
        if self.is_next(name) or (known and any(name == comes for comes, _ in self.left)):
            return False
        until = self.next.start if self.next else float("inf")
        # What still came while the recorder was being stopped stands within the gap.
        return any(began < until and self.since < ended for began, ended in self.gaps)

    def pass_by(self, name: Hashable) -> None:
        """Go on behind a launch, if it was recorded here."""
        if self.is_next(name):
            self.since = self.left.pop(0)[1].start


def _side(flight: facts.Flight, launch: facts.Launch | None, source: str) -> str:
    if launch is None:
        return f"process {flight.process} had no more to launch"
    ops = ", ".join(op for op in operations(flight, launch) if is_collective(op))
    what = f"{launch.program}{f' ({ops})' if ops else ''}"
    lines = source.splitlines()
    if not 0 < launch.line <= len(lines):
        return f"process {flight.process} {what}"
    return (
        f"process {flight.process} {what} in line {launch.line}: {lines[launch.line - 1].strip()}"
    )
