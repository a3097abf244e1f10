"""A timeline: when each device ran what, and who waited for whom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """One operation on one device, as a timeline has it.

    Attributes:
        op: its kind, ``"psum"`` or ``"wrapped_add"``.
        program: the program it belongs to, ``"jit_step"``.
        run: the launch it belongs to; equal numbers on one device mean one launch.
        line: the line of the cell that launched it, 0 if unknown.
        start: nanoseconds since the timeline's beginning.
        end: the same; None where its end was not recorded.
        collective: number of the collective it takes part in, None if it is none.
        seen: False where the recorder missed it: it begins with its launch then, and ends when
            the collective ended on other devices.
    """

    op: str
    program: str
    run: int
    line: int
    start: int
    end: int | None
    collective: int | None = None
    seen: bool = True


@dataclass(frozen=True)
class Lane:
    """One device in a timeline, and what it did, in order of time."""

    device: str
    works: tuple[Work, ...] = ()


@dataclass(frozen=True)
class CollectiveRun:
    """One collective of one launch, on all the devices that took part in it.

    Attributes:
        op: its kind, ``"psum"``.
        line: the line of the cell that launched it, 0 if unknown.
        devices: labels, in order.
        came: when each of them entered it, in nanoseconds since the timeline's beginning.
        left: when each of them left it; None where that was not recorded.
        size: how many devices it joins; more than ``devices`` where some never came, or were not
            recorded.
        joint: whether each of its devices waits for all others; not so in a permutation, and not
            known where nobody told which devices it joins.
    """

    op: str
    line: int
    devices: tuple[str, ...]
    came: tuple[int, ...]
    left: tuple[int | None, ...]
    size: int = 0
    joint: bool = True

    @property
    def complete(self) -> int:
        """When the last of its devices had come."""
        return max(self.came)

    @property
    def last(self) -> str:
        """The device that came last."""
        return self.devices[self.came.index(self.complete)]

    @property
    def apart(self) -> bool:
        """Whether a device left before another came: then these two did not meet in it."""
        ends = [left for left in self.left if left is not None]
        return self.joint and min(ends, default=self.complete) + _CLOCKS < self.complete


_CLOCKS = 20_000  # nanoseconds by which the clocks of two recordings may be off


@dataclass(frozen=True)
class Timeline:
    """When each device did what, and who waited for whom.

    Attributes:
        lanes: one a device, in order.
        collectives: in order of their first device's coming; ``Work.collective`` counts them.
        length: nanoseconds from the first launch to the last end.
        notes: what is not here, in sentences.
    """

    lanes: tuple[Lane, ...] = ()
    collectives: tuple[CollectiveRun, ...] = ()
    length: int = 0
    notes: tuple[str, ...] = ()

    def waited(self, work: Work) -> int:
        """For how many nanoseconds an operation waited until the last device had come."""
        joined = None if work.collective is None else self.collectives[work.collective]
        if joined is None or joined.apart or not joined.joint:
            return 0
        still = work.end is None and len(joined.devices) < joined.size
        complete = self.length if still else joined.complete
        end = complete if work.end is None else work.end
        return max(min(complete, end) - work.start, 0)
