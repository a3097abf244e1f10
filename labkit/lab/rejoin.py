"""Ready again without new processes: free them, let them leave their group and form a new one.

It takes a third of the time of fresh processes, and is tried first. Whatever is not as it
should be on the way, and the caller starts fresh ones.
"""

from __future__ import annotations

import signal
import time

from labkit.cluster.cluster import Cluster, engine_name
from labkit.cluster.ports import free_port
from labkit.errors import LabError
from labkit.lab.engine_client import EngineClient

_SECONDS = 4.0  # for each step; a step takes a tenth of one
_FREE_SECONDS, _AGAIN_SECONDS = 2.0, 0.5


def rejoin(cluster: Cluster, client: EngineClient) -> bool:
    """Make the same processes a new group.

    Returns:
        Whether they are as good as fresh; False: some are not, or did not come.
    """
    if cluster.gone() or signal.Signals.__members__.get("SIGUSR2") is None:
        return False
    _free(cluster, client)
    if client.unanswered():
        return False
    try:
        return _leave(cluster, client) and _join(cluster, client)
    except LabError:
        return False
    except Exception:  # an error of JAX's own in a process
        return False


def _free(cluster: Cluster, client: EngineClient) -> None:
    """End the collectives and the Python code that are still running."""
    for index in range(cluster.processes):
        cluster.supervisor.signal(engine_name(index), signal.SIGUSR2)  # labkit.engine.abort.CUT
    until = time.monotonic() + _FREE_SECONDS
    while (busy := client.unanswered()) and time.monotonic() < until:
        for index in busy:  # more than once: the learner's code may catch one
            cluster.supervisor.signal(engine_name(index), signal.SIGINT)
        next(iter(busy.values())).wait(_AGAIN_SECONDS)


def _leave(cluster: Cluster, client: EngineClient) -> bool:
    everyone = range(cluster.processes)
    client.ask("reset", "forget", deadline=_SECONDS)
    # The coordinator goes last: the others end when it goes first.
    others = client.ask("reset", "leave", deadline=_SECONDS, chosen=everyone[1:])
    first = client.ask("reset", "leave", deadline=_SECONDS, chosen=everyone[:1])
    return all((*others.values(), *first.values()))


def _join(cluster: Cluster, client: EngineClient) -> bool:
    address = f"127.0.0.1:{free_port()}"
    shape = (cluster.processes, cluster.devices, cluster.platform)
    client.ask("join", "rejoin", address, *shape, deadline=_SECONDS)
    return True
