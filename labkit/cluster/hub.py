"""Tell ipyparallel's hub that engines have ended: its heart monitor would need minutes to notice.

This is what ipyparallel's own nannies do; the lab has none, as its supervisor knows sooner.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ipyparallel

_PATIENCE, _POLL = 2.0, 0.002


def unregister(client: ipyparallel.Client, connection: str, engines: Collection[int]) -> bool:
    """Make the hub forget engines, so that others can come under their ids.

    What was asked of them is answered with an error.

    Args:
        client: hears of it.
        connection: path of its connection file.
        engines: their ids.

    Returns:
        Whether the client has heard of it.
    """
    _tell(client, connection, engines)
    deadline = time.monotonic() + _PATIENCE
    while set(engines) & set(client.ids):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL)
    return True


def _tell(client: ipyparallel.Client, connection: str, engines: Collection[int]) -> None:
    import zmq  # with the client

    with open(connection) as file:
        where = json.load(file)
    with zmq.Context() as context, context.socket(zmq.DEALER) as hub:
        hub.linger = int(_PATIENCE * 1000)
        hub.connect(f"{where['interface']}:{where['registration']}")
        for engine in engines:
            client.session.send(hub, "unregistration_request", content={"id": engine})
