"""What each process launched in a cell, compared: where two of them part.

An in-step check cannot see that two processes called the same number of collectives in
another order, or with another operation: the calls pair off and give wrong numbers.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from labkit import facts
from labkit.hlo import Groups, groups


def flight(process: int, told: Mapping[str, Any]) -> facts.Flight:
    """The flight a process told (see ``labkit.engine.flight.end``)."""
    launches = tuple(facts.Launch(*launch) for launch in told["launches"])
    return facts.Flight(
        process,
        launches,
        tuple(_bars(process, told, {launch.run_id: launch.partitions for launch in launches})),
        told["capped"],
        told["yielded"],
        tuple(told["gaps"]),
    )


def _bars(process: int, told: Mapping[str, Any], sizes: Mapping[int, int]) -> Iterator[facts.Bar]:
    """The operations, each with the group of devices it joins."""
    known: dict[tuple[Any, str], Groups] = {}
    for device, op, program, run_id, start, end, partition in told["bars"]:
        module = told["modules"].get(run_id)
        if (module, op) not in known:
            text = told["joins"].get(module, {}).get(op, "")
            known[module, op] = groups(text, sizes.get(run_id, 0))
        found = enumerate(known[module, op])
        own, size = next(((i, len(g)) for i, g in found if partition in g), (-1, 0))
        label = facts.device_label(process, device)
        yield facts.Bar(label, op, program, run_id, start, end, own, size)


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


def joins(flight: facts.Flight) -> bool:
    """Whether anything in a process's flight was a collective."""
    return any(is_collective(bar.op) for bar in flight.bars)


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
        return any(self.since < began < until for began, _ in self.gaps)

    def pass_by(self, name: Hashable) -> None:
        """Go on behind a launch, if it was recorded here."""
        if self.is_next(name):
            self.since = self.left.pop(0)[1].start


def operations(flight: facts.Flight, launch: facts.Launch) -> tuple[str, ...]:
    """The operations of a launched program, by kind: ``("psum",)``."""
    ops = {kind(bar.op) for bar in flight.bars if bar.run_id == launch.run_id}
    return tuple(sorted(ops))


def kind(op: str) -> str:
    """``psum_invariant.7`` is a ``psum``."""
    return re.sub(r"(_invariant)?(\.\d+)*$", "", op)


_COLLECTIVES = (
    "psum", "pmax", "pmin", "pmean", "all-reduce", "all_reduce", "all-gather", "all_gather",
    "reduce-scatter", "reduce_scatter", "psum_scatter", "all-to-all", "all_to_all", "ppermute",
    "collective-permute", "collective_permute",
)  # fmt: skip


def is_collective(op: str) -> bool:
    """Whether an operation joins devices."""
    return kind(op).startswith(_COLLECTIVES)


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
