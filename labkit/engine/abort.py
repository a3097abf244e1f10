"""Free a process that hangs in a collective: cut gloo's connections from a thread.

On CPU a collective that waits cannot be cancelled, and the main thread hangs in it. But when
the connections underneath are shut, it raises within milliseconds, and the process can leave
the broken group and join a new one. The lab asks for it with a signal, which a thread of its
own receives: the main thread could not.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import threading

import psutil

CUT = signal.SIGUSR2
_PATIENCE = 2.0

_spared: set[int] = set()  # ports of the controller and the coordinator
_have_cut = threading.Event()


def block() -> None:
    """Keep the signal from this thread and all it will start; call it before any is started."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {CUT})


def listen(connection_file: str) -> None:
    """Start the thread that waits for the signal.

    Args:
        connection_file: the controller's: its connections are spared.
    """
    with open(connection_file) as file:
        _spared.update(_ports(json.load(file)))
    threading.Thread(target=_serve, name="labkit-free", daemon=True).start()


def spare(address: str) -> None:
    """Never cut the connection to the coordinator at ``host:port``."""
    _spared.add(int(address.rsplit(":", 1)[1]))


def _ports(told: object) -> set[int]:
    if isinstance(told, int):
        return {told}
    if isinstance(told, dict):
        told = list(told.values())
    return set().union(*map(_ports, told)) if isinstance(told, list) else set()


def _serve() -> None:
    while True:
        signal.sigwait({CUT})
        cut()
        _have_cut.set()


def wait_for_cut() -> None:
    """Wait for the signal that the lab has sent: one that came later would cut the next group."""
    _have_cut.wait(_PATIENCE)
    _have_cut.clear()


def cut() -> None:
    """Shut every TCP connection but those to the controller and the coordinator."""
    for connection in psutil.Process().net_connections("tcp"):
        ends = {connection.laddr.port, connection.raddr.port if connection.raddr else 0}
        if connection.status == psutil.CONN_ESTABLISHED and not ends & _spared:
            # gloo may close a socket itself while we look, and its number be another file's by now.
            with contextlib.suppress(OSError):
                _shut(os.dup(connection.fd))


def _shut(descriptor: int) -> None:
    try:
        end = socket.socket(fileno=descriptor)
    except OSError:
        os.close(descriptor)
        raise
    with end:
        end.shutdown(socket.SHUT_RDWR)
