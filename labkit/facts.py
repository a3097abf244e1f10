"""Facts: what the processes told us, as plain frozen records.

Pictures, lessons and checks are made from these and from nothing else, so a fact
written by hand draws exactly like one that came from a running process.
No jax here: values are numpy arrays, devices are labels such as ``"p1·d0"``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Slice = tuple[tuple[int, int], ...]
"""Where a shard lies in its array: one (start, stop) pair for each dimension."""


def device_label(process: int, index: int) -> str:
    """The label of a device, ``"p1·d0"`` for device 0 of process 1."""
    return f"p{process}·d{index}"


def host_label(process: int) -> str:
    """The label of a process's own memory, where a numpy array lives: ``"p1·host"``."""
    return f"p{process}·host"


@dataclass(frozen=True)
class Device:
    """One device.

    Attributes:
        process: index of the process that owns it.
        index: its place among that process's devices, from 0.
        id: JAX's own number (process 1 starts at 2048 on CPU): never shown as a label.
        kind: platform, ``"cpu"`` or ``"gpu"``.
    """

    process: int
    index: int
    id: int = 0
    kind: str = "cpu"

    @property
    def label(self) -> str:
        """``"p1·d0"``."""
        return device_label(self.process, self.index)


@dataclass(frozen=True)
class Process:
    """One JAX process, as it describes itself.

    Attributes:
        index: ``jax.process_index()``.
        count: ``jax.process_count()``.
        devices: its own devices, in order (``jax.local_devices()``).
        global_devices: ``jax.device_count()``.
        host: the machine's name.
        pid: the operating system's number.
        versions: (package, version) pairs.
    """

    index: int
    count: int
    devices: tuple[Device, ...]
    global_devices: int
    host: str = ""
    pid: int = 0
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Mesh:
    """A mesh as one or more processes believe in it.

    Attributes:
        axis_names: one name for each axis.
        shape: one size for each axis.
        devices: labels in row-major order, as many as the product of ``shape``.
        axis_types: ``"Auto"``, ``"Explicit"`` or ``"Manual"`` for each axis.
    """

    axis_names: tuple[str, ...]
    shape: tuple[int, ...]
    devices: tuple[str, ...]
    axis_types: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """``"Mesh(i: 8)"``."""
        sizes = zip(self.axis_names, self.shape, strict=True)
        return "Mesh(" + ", ".join(f"{name}: {size}" for name, size in sizes) + ")"


@dataclass(frozen=True, eq=False)
class Shard:
    """What one device holds of an array.

    Attributes:
        device: its label; ``"p1·host"`` for a numpy array in a process's own memory.
        index: the slice of the array it holds, in the array's own coordinates.
        shape: the shard's full shape.
        value: its elements, or only the leading block of them when ``complete`` is false.
            PRNG keys come as their ``uint32`` key data; None when nothing can be shown.
        complete: whether ``value`` is the whole shard.
        digest: a hash of all its bytes; equal digests mean equal bytes. Empty: not compared.
        replica: ``shard.replica_id``.
    """

    device: str
    index: Slice
    shape: tuple[int, ...]
    value: np.ndarray | None = None
    complete: bool = True
    digest: str = ""
    replica: int = 0


@dataclass(frozen=True, eq=False)
class Array:
    """One array, with the shards of every process that reported it.

    Attributes:
        shape: the array's (global) shape.
        dtype: ``"int32"``, ``"bfloat16"``, ``"key<fry>"`` ...
        shards: in order of device label.
        spec: PartitionSpec as the sharding has it, one entry for each leading dimension it
            names: None, an axis name, or a tuple of names.
            None where the sharding has no spec (one device, or numpy).
        mesh: the mesh of its NamedSharding, else None.
        spans: whether it is one array over devices of several processes.
            False: it lies on the devices of one process alone.
        replicated: what the array itself claims (``x.is_fully_replicated``).
        where: ``"device"`` or ``"host"`` (numpy).
        deleted: its buffers were donated or deleted; it has no shards.
    """

    shape: tuple[int, ...]
    dtype: str
    shards: tuple[Shard, ...] = ()
    spec: tuple[Any, ...] | None = None
    mesh: Mesh | None = None
    spans: bool = False
    replicated: bool = False
    where: str = "device"
    deleted: bool = False

    def __repr__(self) -> str:
        shape = ", ".join(map(str, self.shape))
        over = ", spans processes" if self.spans else ""
        return f"Array({self.dtype}[{shape}]{over}, {len(self.shards)} shards)"


@dataclass(frozen=True)
class Thing:
    """Any other value: its type's name and its repr."""

    type: str
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class View:
    """What a name stands for in the processes that agree on it.

    Attributes:
        processes: who sees it so. One array that spans processes, or an equal mesh,
            is one view of several processes; arrays of their own are one view each.
        value: an Array, a Mesh or a Thing.
    """

    processes: tuple[int, ...]
    value: Array | Mesh | Thing


@dataclass(frozen=True, eq=False)
class Variable:
    """A name in the processes' namespace.

    Attributes:
        name: as the learner wrote it.
        views: one or more, in order of their first process.
        missing: processes in which the name does not exist.
    """

    name: str
    views: tuple[View, ...] = ()
    missing: tuple[int, ...] = ()

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays among the views."""
        return tuple(v.value for v in self.views if isinstance(v.value, Array))

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """The meshes among the views."""
        return tuple(v.value for v in self.views if isinstance(v.value, Mesh))


@dataclass(frozen=True)
class Help:
    """An error in plain words.

    Attributes:
        what: what happened.
        instead: what to write or do instead.
        lesson: the notebook that shows it, empty if none does.
    """

    what: str
    instead: str
    lesson: str = ""

    @property
    def lines(self) -> tuple[str, str]:
        """``"What happened: …"`` and ``"Instead: … (lesson 01_…)"``."""
        lesson = f" (lesson {self.lesson})" if self.lesson else ""
        return f"What happened: {self.what}", f"Instead: {self.instead}{lesson}"


@dataclass(frozen=True)
class Failure:
    """An exception in one process.

    Attributes:
        type: ``"ZeroDivisionError"``.
        message: the exception's own text.
        lines: the learner's own lines, outermost first: (cell name, line number, source text).
        traceback: the whole of it, as Python prints it.
        help: the same in plain words, None where nothing is known about it.
    """

    type: str
    message: str
    lines: tuple[tuple[str, int, str], ...] = ()
    traceback: str = ""
    help: Help | None = None


@dataclass(frozen=True, eq=False)
class Output:
    """What one process made of a cell.

    Attributes:
        process: its index.
        text: what it printed (stdout and stderr).
        displays: display calls and figures, each a mime bundle.
        result: mime bundle of the last expression; empty when there is none.
        error: the exception that ended the cell, if one did.
        status: empty when the cell ended; else what the process is doing, in words.
    """

    process: int
    text: str = ""
    displays: tuple[dict[str, Any], ...] = ()
    result: dict[str, Any] = field(default_factory=dict)
    error: Failure | None = None
    status: str = ""


@dataclass(frozen=True)
class Scene:
    """One picture of a step on the stage.

    Attributes:
        title: a few words, for the step list.
        svg: the picture.
        caption: one or two sentences on what to see (plain text).
        alt: the picture in words, for terminals and screen readers.
        source: the program the processes ran; the same in every scene of one run.
        line: the line of ``source`` this scene shows, from 1; 0 for none.
        illustration: true where the picture shows what nobody can observe.
    """

    title: str
    svg: str
    caption: str
    alt: str
    source: str = ""
    line: int = 0
    illustration: bool = False


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
class Bar:
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
    bars: tuple[Bar, ...] = ()
    capped: bool = False
    yielded: bool = False
    gaps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Row:
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

    rows: tuple[Row, ...]
    cause: str = ""
    cell: str = ""

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, process: int) -> Row:
        return self.rows[process]

    def __len__(self) -> int:
        return len(self.rows)


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
class Collective:
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
    collectives: tuple[Collective, ...] = ()
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
