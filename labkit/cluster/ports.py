"""Ports and connection files: what a start has to find free, or finished, at that moment."""

from __future__ import annotations

import json
import os
import random
import socket

# Below the range that systems take ports for outgoing connections from: the many connections of
# a lab's own processes would otherwise take a port between its choice and its use.
_LOWEST, _HIGHEST = 10_000, 32_000


def free_ports(count: int) -> list[int]:
    """Loopback ports that nobody uses at this moment."""
    found: set[int] = set()
    while len(found) < count:
        port = random.randrange(_LOWEST, _HIGHEST)
        if _is_free(port):
            found.add(port)
    return sorted(found)


def free_port() -> int:
    """One of them."""
    return free_ports(1)[0]


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def connection_file(profile: str, side: str) -> str | None:
    """The controller's connection file, once it is written to the end.

    Args:
        profile: the controller's folder.
        side: ``"client"`` or ``"engine"``.

    Returns:
        Its path, or None while it is not there or not complete.
    """
    path = os.path.join(profile, "security", f"ipcontroller-{side}.json")
    try:
        with open(path) as file:
            json.load(file)
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return path
