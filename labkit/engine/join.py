"""Join and check one ``jax.distributed`` group (runs in the JAX processes).

Everything is passed explicitly, never detected from the environment, and the coordinator
listens on loopback only: JAX's own default is all interfaces (jax-ml/jax#20562).
"""

from __future__ import annotations

import gc
import os
import resource
import socket
import threading
import time
from typing import Any

import jax
import numpy as np
import psutil
from jax.extend import backend
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from labkit.engine import abort

_FOREVER = 100_000  # seconds; the lab watches its processes itself
_PATIENCE = 60.0
_THREADS_A_DEVICE = 4


def join(address: str, count: int, index: int, devices: int, platform: str = "cpu") -> None:
    """Join the group and leave it warm.

    Args:
        address: the coordinator's ``host:port``.
        count: number of processes.
        index: this process's index.
        devices: CPU devices of this process; ignored on other platforms.
        platform: ``"cpu"`` or ``"gpu"``.
    """
    if platform == "cpu":
        jax.config.update("jax_num_cpu_devices", devices)
        _enough_threads(devices)
    abort.spare(address)
    if index > 0:
        _wait_for(address)
    jax.distributed.initialize(
        address,
        count,
        index,
        coordinator_bind_address=address if index == 0 else None,
        initialization_timeout=int(_PATIENCE),
        heartbeat_timeout_seconds=_FOREVER,
        shutdown_timeout_seconds=3,
    )
    # Engines forked from one process would otherwise all draw the same numpy numbers.
    np.random.seed()
    in_step(0)


def _enough_threads(devices: int) -> None:
    # XLA takes as many threads as the machine has cores. On two cores all of them soon wait in
    # collectives of one device while the other device's, which would free them, get none:
    # some 40 steps that nobody waits for hang for ever. Seen up to jax 0.10.
    os.environ["NPROC"] = str(max(os.cpu_count() or 1, _THREADS_A_DEVICE * devices))


def rejoin(address: str, count: int, devices: int, platform: str) -> None:
    """Join a new group after :func:`leave`, under the same index."""
    jax.distributed.shutdown()  # the coordinator's; nothing happens where it was done before
    join(address, count, _baseline["index"], devices, platform)


def leave() -> bool:
    """Leave a group, also a broken one; ``labkit.engine.reset`` lets go of what belongs to it.

    Where process 0 lets go of its coordinator before the others have left, they end. It keeps it
    until :func:`rejoin`, for which the lab asks when all have left.

    Returns:
        Whether the process can be used again as if it were fresh.
    """
    fresh = _untouched()
    abort.wait_for_cut()
    # Who hangs in a collective with us raises as soon as our connections are closed.
    backend.clear_backends()
    if _baseline["index"] > 0:
        jax.distributed.shutdown()
    gc.collect()
    return fresh


_baseline: dict[str, Any] = {}


def wait_to_join(index: int) -> None:
    """Be the process that :func:`rejoin` will make a member, in the place of one that ended."""
    _baseline["index"] = index


def remember() -> None:
    """Note what a fresh process is like, to know later whether it still is."""
    threads = set(threading.enumerate())
    _baseline.update(index=jax.process_index(), settings=_settings(), threads=threads)


def _untouched() -> bool:
    """Whether no setting was changed, and no thread or process started, that would live on."""
    strangers = {t for t in threading.enumerate() if t.is_alive()} - _baseline["threads"]
    strangers = {t for t in strangers if not t.name.startswith("labkit")}
    changed = _settings() != _baseline["settings"]
    return not (strangers or changed or psutil.Process().children())


def _settings() -> tuple[Any, ...]:
    """JAX's, and those of the system's that a cell can change for the whole process."""
    limits = [resource.getrlimit(n) for name, n in vars(resource).items() if "RLIMIT_" in name]
    return dict(jax.config.values), limits, dict(os.environ), os.getcwd()


def _wait_for(address: str) -> None:
    # A process that dials before the coordinator listens falls into a back-off of a second.
    host, port = address.rsplit(":", 1)
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.005)


def in_step(number: int) -> dict[str, Any]:
    """One small collective over all devices, with a number only this cell can give.

    A collective that one process alone has dispatched pairs with this one, and the sum is wrong.
    The first call, at the start, also warms the group: gloo makes its connections there.

    Args:
        number: the cell's number, equal in all processes.

    Returns:
        ``{"got": [...], "expected": int}``: what each device of this process read.
    """
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("all",))
    sharding = NamedSharding(mesh, P("all"))
    mine = _share(number, jax.process_index())
    values = jax.make_array_from_callback(
        (jax.device_count(),), sharding, lambda index: np.full((1,), mine, np.int32)
    )
    total = _total(mesh)(values)
    got = [int(np.asarray(shard.data)[0]) for shard in total.addressable_shards]
    expected = sum(_share(number, device.process_index) for device in jax.devices())
    return {"got": got, "expected": expected}


def _share(number: int, process: int) -> int:
    return (number % 10_000) * 100 + process  # 10^6 a device: int32 holds 2,000 devices


_totals: dict[Any, Any] = {}


def forget() -> None:
    """Let go of the programs that add up over the group."""
    _totals.clear()


def _total(mesh: jax.sharding.Mesh) -> Any:
    if mesh not in _totals:
        _totals[mesh] = jax.jit(
            jax.shard_map(
                lambda v: jax.lax.psum(v, "all"), mesh=mesh, in_specs=P("all"), out_specs=P("all")
            )
        )
    return _totals[mesh]
