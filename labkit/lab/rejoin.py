"""Ready again without a fresh set of processes: free them, and let them form a new group.

It takes a fraction of the time of a fresh set, and is tried first. One that has ended is replaced
meanwhile. Whatever is not as it should be on the way, and the caller starts a fresh set.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Collection
from typing import Any

from labkit.cluster.cluster import Cluster, engine_name
from labkit.cluster.ports import free_port
from labkit.errors import LabError
from labkit.lab.engine_client import EngineClient

_SECONDS = 4.0  # for each step; a step takes a tenth of one
_REPLACED_SECONDS = 10.0  # for one that is new; where none can be forked it imports everything
_FREE_SECONDS, _AGAIN_SECONDS = 2.0, 0.5


def rejoin(cluster: Cluster, client: EngineClient) -> dict[int, Any] | None:
    """Make the processes a new group; the same ones but for those that have ended.

    Returns:
        Process index → what it says of itself; None: some are not as good as fresh.
    """
    gone = cluster.gone()
    # Process 0 has the coordinator, and takes the others with it.
    if 0 in gone or signal.Signals.__members__.get("SIGUSR2") is None:
        return None
    stayed = [index for index in range(cluster.processes) if index not in gone]
    try:
        _free(cluster, client, stayed, gone)
        left = not client.unanswered() and _leave(client, stayed)
        return _join(cluster, client) if left else None
    except LabError:
        return None
    except Exception:  # an error of JAX's own in a process
        return None


def _free(
    cluster: Cluster, client: EngineClient, stayed: Collection[int], gone: Collection[int]
) -> None:
    """End the collectives and the Python code that are still running; replace who is gone."""
    for index in stayed:
        cluster.supervisor.signal(engine_name(index), signal.SIGUSR2)  # labkit.engine.abort.CUT
    cluster.replace(gone)
    until = time.monotonic() + _FREE_SECONDS
    while (busy := client.unanswered()) and time.monotonic() < until:
        for index in set(busy) & set(stayed):  # more than once: the learner's code may catch one
            cluster.supervisor.signal(engine_name(index), signal.SIGINT)
        next(iter(busy.values())).wait(_AGAIN_SECONDS)


def _leave(client: EngineClient, stayed: Collection[int]) -> bool:
    return all(client.ask("reset", "leave", deadline=_SECONDS, chosen=stayed).values())


def _join(cluster: Cluster, client: EngineClient) -> dict[int, Any]:
    cluster.wait_for_all(_REPLACED_SECONDS)
    address = f"127.0.0.1:{free_port()}"
    shape = (cluster.processes, cluster.devices, cluster.platform)
    return client.ask("reset", "rejoin", address, *shape, deadline=_SECONDS)
