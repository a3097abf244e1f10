"""The front door: one call that starts a lab, and the lab that is alive."""

from __future__ import annotations

from labkit.cluster import memory, pidfile
from labkit.cluster.supervisor_client import can_fork
from labkit.errors import StartError
from labkit.lab import validation
from labkit.lab.lab import Lab

_current: Lab | None = None


def current() -> Lab | None:
    """The lab of this notebook or script, None if there is none alive."""
    return _current if _current is not None and _current.state != "stopped" else None


def start(
    processes: int = 2, devices: int = 4, platform: str = "cpu", launch: str | None = None
) -> Lab:
    """Start JAX processes that form one ``jax.distributed`` group.

    It replaces, in every one of ``processes`` terminals::

        jax.config.update("jax_num_cpu_devices", devices)
        jax.distributed.initialize("127.0.0.1:PORT", processes, index)

    Args:
        processes: how many.
        devices: CPU devices of each.
        platform: ``"cpu"``, or ``"gpu"`` where each process finds one.
        launch: ``"fork"`` (Linux: imports are paid once) or ``"plain"``; None chooses.

    Returns:
        A lab in state ``ready``: all have joined, the counts add up, a first psum was right.
        Use it as a context manager to have it stopped at the end.

    Raises:
        LabError: an argument that makes no sense.
        StartError: a lab is alive already, memory is short, or a process did not come.
    """
    global _current
    validation.whole("processes", processes)
    validation.whole("devices", devices)
    validation.one_of("launch", launch, (None, "fork", "plain"))
    if current() is not None:
        raise StartError(
            f"This notebook has a lab already: {current()!r}. Use it (labkit.current()), give it "
            "another shape with lab.reset(processes=..., devices=...), or lab.stop() it first."
        )
    pidfile.reap()
    memory.require_room(processes)
    _current = Lab(processes, devices, platform, launch or ("fork" if can_fork() else "plain"))
    return _current
