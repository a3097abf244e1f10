"""What the flight recorder of a process told, as facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from labkit import facts
from labkit.analysis.hlo import Groups, groups
from labkit.facts.hlo import COLLECTIVES


def flight(process: int, told: Mapping[str, Any]) -> facts.Flight:
    """The flight a process told (see ``labkit.engine.timeline.flight_recorder.end``)."""
    launches = tuple(facts.Launch(*launch) for launch in told["launches"])
    return facts.Flight(
        process,
        launches,
        tuple(_bars(process, told, {launch.run_id: launch.partitions for launch in launches})),
        told["capped"],
        told["yielded"],
        tuple(told["gaps"]),
    )


def _bars(
    process: int, told: Mapping[str, Any], sizes: Mapping[int, int]
) -> Iterator[facts.DeviceOp]:
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
        yield facts.DeviceOp(label, op, program, run_id, start, end, own, size)


def joins(flight: facts.Flight) -> bool:
    """Whether anything in a process's flight was a collective."""
    return any(is_collective(bar.op) for bar in flight.bars)


def operations(flight: facts.Flight, launch: facts.Launch) -> tuple[str, ...]:
    """The operations of a launched program, by kind: ``("psum",)``."""
    ops = {kind(bar.op) for bar in flight.bars if bar.run_id == launch.run_id}
    return tuple(sorted(ops))


def kind(op: str) -> str:
    """``psum_invariant.7`` is a ``psum``."""
    return re.sub(r"(_invariant)?(\.\d+)*$", "", op)


# An operation has JAX's name where a learner wrote it, and XLA's where the compiler added it.
_COLLECTIVES = (
    *("psum", "pmax", "pmin", "pmean", "ppermute", "pbroadcast"),
    *COLLECTIVES,
    *(name.replace("-", "_") for name in COLLECTIVES),
)


def is_collective(op: str) -> bool:
    """Whether an operation joins devices."""
    return kind(op).startswith(_COLLECTIVES)
