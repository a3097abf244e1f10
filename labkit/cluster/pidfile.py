"""A record of who belongs to a lab, for the lab that starts after a crash.

The parent-death signal ends a lab with its notebook. Where even that was not to be (a machine
without one, a supervisor that was killed while it started somebody), the next start finds the
record and ends what it names: a pid together with its time of birth, so that nobody else is ever
signalled.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import shutil
import signal
import tempfile

import psutil

PREFIX = "labkit-"
_NAME = "record.json"

Member = tuple[int, float]


def member(pid: int) -> Member:
    """A process by its pid and time of birth; the time is 0 if it has ended."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            return pid, process.create_time()
    return pid, 0.0


def write(folder: str, pids: list[int]) -> None:
    """Record this process, the supervisor, and its children.

    Args:
        folder: the lab's.
        pids: the children's.
    """
    told = {"supervisor": member(os.getpid()), "children": [member(pid) for pid in pids]}
    path = os.path.join(folder, _NAME)
    with contextlib.suppress(OSError):  # the folder goes when the lab stops
        with open(f"{path}.new", "w") as file:
            json.dump(told, file)
        os.replace(f"{path}.new", path)


def reap() -> list[int]:
    """End what labs of this user have left behind, and remove their folders.

    Returns:
        The pids that were ended.
    """
    ended = []
    for path in glob.glob(os.path.join(tempfile.gettempdir(), f"{PREFIX}*", _NAME)):
        with contextlib.suppress(OSError, ValueError, KeyError):
            ended += _reap(path)
    return ended


def _reap(path: str) -> list[int]:
    with open(path) as file:
        told = json.load(file)
    supervisor = told.get("supervisor") or told["keeper"]  # as older versions wrote it
    if os.stat(path).st_uid != os.getuid() or _alive(supervisor):
        return []
    left = [pid for pid, born in told["children"] if _alive((pid, born))]
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)
    return left


def _alive(one: Member) -> bool:
    return one[1] > 0 and member(one[0]) == tuple(one)
