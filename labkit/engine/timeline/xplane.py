"""A profile's file, read into plain data: programs launched, operations on devices."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import Any

import jax

CAP = 4_000  # events of interest; beyond, only the first are told
CLOCK, LINE = "labkit:clock", "labkit:line"
_LAUNCH = re.compile(r"\w*LoadedExecutable::Execute \((.+)\)$")
_LAUNCH_ALONE = "ExecuteHelperOnSingleDevice"
_ON_DEVICE = re.compile(r"\[\d+\] \w*LoadedExecutable::Execute ")
_KEPT = {
    "line", "ns", "run_id", "num_partitions", "num_addressable_devices", "hlo_op", "hlo_module",
    "program_id", "device_ordinal", "partition", "global_device_id", "_p", "_c",
}  # fmt: skip

Event = dict[str, Any]


def events(path: str) -> list[Event]:
    """The events of interest in one ``.xplane.pb``, in order of time.

    A profile's own times start at 0, at no moment that it tells; the mark ``CLOCK`` in it carries
    the time of the wall clock (nanoseconds since the epoch), which all processes share.
    """
    data = jax.profiler.ProfileData.from_file(path)
    lines = [line for plane in data.planes for line in plane.lines]
    # More than the cap of one thread, whose events are in order, are not told: the rest is spared.
    made = [event for line in lines for event in islice(_wanted(line), CAP + 1)]
    found = sorted(made, key=lambda event: event["start"])
    zero = next((e["ns"] - e["start"] for e in found if e["name"] == CLOCK), None)
    return [] if zero is None else [{**e, "start": e["start"] + zero} for e in found]


def _wanted(line: Any) -> Iterator[Event]:
    return filter(None, map(_event, line.events))


def _event(event: Any) -> Event | None:
    name = event.name
    wanted = name in (CLOCK, LINE) or name.startswith("end: ")
    wanted = wanted or _LAUNCH.match(name) or _ON_DEVICE.match(name)
    wanted = wanted or name.endswith(_LAUNCH_ALONE)
    stats = {key: value for key, value in event.stats if key in _KEPT}
    if not wanted and "hlo_op" not in stats:
        return None
    return {**stats, "name": name, "start": int(event.start_ns), "took": event.duration_ns}


def read(recorded: list[Event]) -> dict[str, Any]:
    """Tell launches and bars.

    Returns:
        ``launches``: ``(program, run_id, line, start, partitions, own devices)`` in order of
        launch, programs over several devices only; ``bars``: ``(device, operation, program,
        run_id, start, end or None, partition or -1)``; times in nanoseconds since the epoch;
        ``alone``: ``(program, run_id, line, start)`` of what ran on one device of this process;
        ``modules``: run_id → the compiled module's own number; ``capped``.
    """
    kept = recorded[:CAP]
    lines = sorted((e for e in kept if e["name"] == LINE), key=lambda event: event["start"])
    launches = [_launch(e, lines) for e in kept if "num_partitions" in e]
    ends = {event["_c"]: event["start"] for event in kept if event["name"].startswith("end: ")}
    ops = [event for event in kept if "hlo_op" in event]
    return {
        "launches": launches,
        "alone": list(_alone(kept, ops, lines, {launch[1] for launch in launches})),
        "bars": list(_bars(ops, ends, _partitions(kept))),
        "modules": {event["run_id"]: event["program_id"] for event in ops},
        "capped": len(recorded) > CAP,
    }


def _launch(event: Event, lines: list[Event]) -> tuple[Any, ...]:
    program = _LAUNCH.match(event["name"])[1]
    counts = event["num_partitions"], event["num_addressable_devices"]
    return (program, event["run_id"], _line(event, lines), event["start"], *counts)


def _line(event: Event, lines: list[Event]) -> int:
    around = _around(event, lines)
    return around["line"] if around else 0


def _around(event: Event, others: list[Event]) -> Event | None:
    """The last of the others, in order of their start, within which an event began."""
    at = bisect_right(others, event["start"], key=lambda other: other["start"])
    before = (others[place] for place in range(at - 1, -1, -1))
    return next((e for e in before if event["start"] <= e["start"] + e["took"]), None)


def _alone(
    kept: list[Event], ops: list[Event], lines: list[Event], known: set[int]
) -> Iterator[tuple[Any, ...]]:
    """What ran on one device: its launch has no name, and is found around the first operation.

    Where the operation began later, in a thread of XLA's, the line is not known.
    """
    calls = [event for event in kept if event["name"].endswith(_LAUNCH_ALONE)]
    for op in ops:
        if op["run_id"] not in known:
            known.add(op["run_id"])
            call = _around(op, calls)
            line = _line(call, lines) if call else 0
            yield op["hlo_module"], op["run_id"], line, op["start"]


def _partitions(kept: list[Event]) -> dict[tuple[int, int], int]:
    """Launch (its run_id without a sign) and device → the device's partition of the program."""
    found = (event for event in kept if "partition" in event)
    return {(e["_c"], e["global_device_id"]): e["partition"] for e in found}


def _bars(
    ops: list[Event], ends: dict[int, int], partitions: dict[tuple[int, int], int]
) -> Iterator[tuple[Any, ...]]:
    places = {device.id: place for place, device in enumerate(jax.local_devices())}
    for event in ops:
        device, run = event["device_ordinal"], event["run_id"]
        partition = partitions.get((run % 2**64, device), -1)
        what = places.get(device, device), event["hlo_op"], event["hlo_module"], run
        yield (*what, event["start"], ends.get(event["_p"]), partition)
