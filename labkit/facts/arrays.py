"""What the processes hold: devices, meshes, arrays and what a name stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labkit.facts.labels import device_label, label_order, process_of

Slice = tuple[tuple[int, int], ...]
"""Where a shard lies in its array: one (start, stop) pair for each dimension."""


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

    @property
    def local(self) -> bool:
        """Whether all its devices belong to one process."""
        return len({process_of(label) for label in self.devices}) == 1

    @property
    def in_order(self) -> bool:
        """Whether it has one axis and takes devices as they come, so that rows may wrap."""
        return len(self.shape) == 1 and list(self.devices) == sorted(self.devices, key=label_order)


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
