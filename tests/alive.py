"""Processes from outside: whether one is alive, and waiting for something with a deadline."""

import time
from collections.abc import Callable, Iterable

import psutil


def alive(pids: Iterable[int]) -> list[int]:
    """Those that still run; a zombie has ended."""
    return [pid for pid in pids if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def until(condition: Callable[[], bool], seconds: float = 5) -> bool:
    """Whether it came true within this time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
