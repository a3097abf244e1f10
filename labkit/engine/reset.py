"""A reset in this process: what the learner has made goes, then the group and what belongs to it.

Whatever in this room remembers something from one cell to the next has a ``forget``. All of them
are listed here, by when they are called.
"""

from __future__ import annotations

from typing import Any

from labkit.engine import join
from labkit.engine.arrays import device_labels
from labkit.engine.cells import drain, namespaces, run
from labkit.engine.timeline import executables, flight_recorder

OF_THE_LEARNER = (namespaces.forget, drain.forget, flight_recorder.forget)
OF_THE_GROUP = (join.forget, executables.forget, device_labels.forget)
"""What holds one of its devices or programs holds the whole group, threads and all."""


def leave() -> bool:
    """Let go of what the learner has made and of what belongs to the group, and leave it.

    Returns:
        Whether the process can be used again as if it were fresh.
    """
    for each in (*OF_THE_LEARNER, *OF_THE_GROUP):
        each()
    return join.leave()


def rejoin(address: str, count: int, devices: int, platform: str) -> dict[str, Any]:
    """Join a new group after :func:`leave`, as good as fresh; describe this process."""
    join.rejoin(address, count, devices, platform)
    return run.prepare()
