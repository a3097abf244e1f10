"""Flights as the recorder would tell them: cells in which somebody waits, or nothing meets."""

from dataclasses import replace

from labkit.facts import DeviceOp, Flight, Launch, Process
from tests.pure.made import processes

MS = 1_000_000
NOON = 1_785_000_000 * 1_000_000_000  # nanoseconds since the epoch: flights are told in these
TWO = processes(2, 2)


def launch(process: Process, run: int, at: float, line: int = 3, name="jit_step", size: int = 4):
    """A launch ``at`` milliseconds."""
    return Launch(name, run, line, NOON + int(at * MS), size, len(process.devices))


def bars(process: Process, run: int, op: str, start: float, end: float | None, name="jit_step"):
    """An operation on every device of a process, from when to when in milliseconds."""
    ends = None if end is None else NOON + int(end * MS)
    return tuple(
        DeviceOp(device.label, op, name, run, NOON + int(start * MS), ends)
        for device in process.devices
    )


def late(by: float = 1000, works: float = 3, runs: tuple[int, int] = (7, 7)) -> list[Flight]:
    """Process 1 comes to one psum so many milliseconds later."""
    return [
        Flight(
            process.index,
            (launch(process, run, start),),
            bars(process, run, "psum_invariant.7", start, by + works),
        )
        for process, run, start in zip(TWO, runs, (0, by), strict=True)
    ]


def missed() -> list[Flight]:
    """The same, where the recorder has no operation of the process that waits."""
    early, other = late()
    return [replace(early, bars=()), other]


def swapped() -> list[Flight]:
    """Process 0 runs psum then pmax, process 1 the other way round; the calls pair off."""
    orders = ((("psum.3", 11), ("pmax.3", 22)), (("pmax.3", 22), ("psum.3", 11)))
    found = []
    for process, order in zip(TWO, orders, strict=True):
        launches = [launch(process, run, 4 * i, 2 + i) for i, (_, run) in enumerate(order)]
        seen = [bars(process, run, op, 4 * i, 4 * i + 2) for i, (op, run) in enumerate(order)]
        found.append(Flight(process.index, tuple(launches), sum(seen, ())))
    return found


def unfinished() -> list[Flight]:
    """One psum that all came to, then one that process 1 never launched."""
    both = [(launch(p, 5, 0, 1), bars(p, 5, "psum.1", 1, 20)) for p in TWO]
    alone = launch(TWO[0], 6, 30, 4), bars(TWO[0], 6, "psum.4", 31, None)
    busy = (DeviceOp("p1·d0", "copy", "jit_copy", 9, NOON + 25 * MS, NOON + 900 * MS),)
    (first, done), (other, gone_on) = both
    return [Flight(0, (first, alone[0]), done + alone[1]), Flight(1, (other,), gone_on + busy)]


def many(number: int, every: float = 0.5, capped: bool = False) -> list[Flight]:
    """So many psums, one every so many milliseconds, each a launch of its own."""
    found = []
    for process in TWO:
        starts = [i * every + 0.05 * process.index for i in range(number)]
        launches = tuple(launch(process, 100 + i, at) for i, at in enumerate(starts))
        seen = (
            bars(process, 100 + i, "psum.1", at, i * every + 0.3) for i, at in enumerate(starts)
        )
        found.append(Flight(process.index, launches, sum(seen, ()), capped))
    return found


def own() -> list[Flight]:
    """A psum over each process's own devices: equal programs, so equal run ids."""
    return [
        Flight(
            p.index,
            (launch(p, 7, 3 * p.index, size=2),),
            bars(p, 7, "psum.1", 3 * p.index, 3 * p.index + 2),
        )
        for p in TWO
    ]
