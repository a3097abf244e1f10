"""Ports and connection files: what a start has to find free, or finished, at that moment."""

from __future__ import annotations

import json
import os
import socket


def free_port() -> int:
    """A loopback port nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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
