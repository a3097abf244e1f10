"""The ipyparallel controller, with the settings that make a lab quick, small and local."""

from __future__ import annotations

from typing import Any

from ipyparallel.controller.app import IPController

from labkit.cluster.ports import free_ports

# An engine counts as registered only at the second heartbeat, so the period is what a start
# waits for; missed beats are forgiven because the supervisor knows who is gone, and a busy laptop
# starves them for seconds.
_SETTINGS = (
    "--ip=127.0.0.1",
    "--HeartMonitor.period=100",
    "--HeartMonitor.max_heartmonitor_misses=6000",
    "--IPController.use_threads=True",
    "--IPController.broadcast_scheduler_depth=0",
    "--nodb",  # the default database keeps every result for ever
)
_PORTS = 20  # it uses 13, and takes ports of its own choice when it runs out


def run(spec: dict[str, Any]) -> None:
    """Serve until killed.

    Args:
        spec: ``{"profile": folder}``; the connection files appear in its ``security`` folder.
    """
    ports = ",".join(map(str, free_ports(_PORTS)))
    IPController.launch_instance(
        [f"--profile-dir={spec['profile']}", f"--IPController.ports={ports}", *_SETTINGS]
    )
