"""What the flight recorder saw of a cell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    """One launch of a program over several devices.

    Attributes:
        program: its name, ``"jit_step"``.
        run_id: equal in all processes that launched the same program as often.
        line: the line of the cell that launched it, 0 if unknown.
        start: when, in nanoseconds since the epoch.
        partitions: devices the program runs on, in all processes.
        devices: those of them that belong to this process.
    """

    program: str
    run_id: int
    line: int
    start: int
    partitions: int
    devices: int

    @property
    def spans(self) -> bool:
        """Whether it runs on devices of other processes too."""
        return self.partitions > self.devices


@dataclass(frozen=True)
class DeviceOp:
    """One operation of a program on one device.

    Attributes:
        device: label.
        op: the operation's name in the compiled program, ``"psum.7"``.
        program, run_id: of the launch it belongs to.
        start, end: nanoseconds since the epoch; ``end`` is None while it goes on.
        group: which of the operation's groups of devices it belongs to, -1 where that is not
            known.
        size: how many devices the group has, 0 for all of the program.
    """

    device: str
    op: str
    program: str
    run_id: int
    start: int
    end: int | None
    group: int = 0
    size: int = 0


@dataclass(frozen=True)
class Flight:
    """What the flight recorder of one process saw of a cell.

    Attributes:
        process: its index.
        launches: programs over several devices, in order of launch.
        bars: operations on its devices, in order of start.
        capped: the cell launched so many that only the first are here.
        yielded: the learner's own profile took the recorder's place.
        gaps: from when to when nothing was recorded, because the recorder was being read; what
            was going on at such a moment is not here. Nanoseconds since the epoch.
    """

    process: int
    launches: tuple[Launch, ...] = ()
    bars: tuple[DeviceOp, ...] = ()
    capped: bool = False
    yielded: bool = False
    gaps: tuple[tuple[int, int], ...] = ()
