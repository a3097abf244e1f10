"""Binds a process to its parent: when the parent is gone, so is the child.

Linux ties them in the system itself (PR_SET_PDEATHSIG), which also works while the child
is blocked in XLA or holds the interpreter lock. Elsewhere a thread watches the parent's pid.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1
_POLL_SECONDS = 0.5


def hold(parent: int) -> None:
    """Make this process, and what it forks, die when its parent dies.

    Args:
        parent: pid of the parent, as the parent itself gave it: the parent may be gone already.
    """
    if sys.platform == "linux":
        _tie()
        # A fork clears the tie, and the controller forks its heart monitor.
        os.register_at_fork(after_in_child=_tie)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _tie() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)
