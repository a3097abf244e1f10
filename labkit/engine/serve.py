"""One process of the lab: join the group, then serve as an ipyparallel engine.

Joining comes first and needs no controller, so it runs while the controller starts.
"""

from __future__ import annotations

import gc
import importlib
import sys
import time
from typing import Any

from ipyparallel.engine.app import IPEngine

from labkit.cluster.ports import connection_file
from labkit.engine import abort, join
from labkit.engine import reset as _reset  # noqa: F401  (imported before the fork, cells with it)
from labkit.engine.timeline import flight_recorder

_SETTINGS = (
    "--IPEngine.enable_nanny=False",  # the supervisor knows sooner, and costs nothing
    # The parent-death signal ends an engine whose lab is gone; counting beats by the wall clock
    # would also end one whose laptop has slept.
    "--IPEngine.max_heartbeat_misses=0",
    "--IPEngine.log_level=40",  # the log is for what XLA, gloo and the learner's code write
    "--IPEngine.out_stream_factory=labkit.engine.streams.PythonStream",
)
_PATIENCE = 60.0


def _leave_out_debugger() -> None:
    """Tell ipykernel that there is none: an engine has no port for it.

    It would be imported after the fork, which takes every process 50 ms and 7 MB.
    """
    if "debugpy" not in sys.modules:
        sys.modules["debugpy"] = None
        importlib.import_module("ipykernel.debugger")
        del sys.modules["debugpy"]


_leave_out_debugger()


def run(spec: dict[str, Any]) -> None:
    """Join, wait for the controller, serve until killed.

    Args:
        spec: ``address``, ``count``, ``index``, ``devices``, ``platform`` as in
            :func:`labkit.engine.join.join`, no ``address`` for one that is to join later;
            ``profile``: the controller's folder.
    """
    # What was imported stays for good. A collection that looks at it all takes 50 ms, and makes
    # copies of the memory that the fork shares.
    gc.freeze()
    abort.block()
    flight_recorder.write_in(spec["profile"])
    _join(spec)
    engine = (f"--profile-dir={spec['profile']}", f"--IPEngine.id={spec['index']}", *_SETTINGS)
    connection = _connection(spec["profile"])
    abort.listen(connection)
    IPEngine.launch_instance([f"--file={connection}", *engine])


def _join(spec: dict[str, Any]) -> None:
    if spec["address"] is None:
        return join.wait_to_join(spec["index"])
    where = ("address", "count", "index", "devices", "platform")
    return join.join(**{name: spec[name] for name in where})


def _connection(profile: str) -> str:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        path = connection_file(profile, "engine")
        if path:
            return path
        time.sleep(0.005)
    raise TimeoutError(f"the controller did not open its ports within {_PATIENCE:.0f} s")
