"""Whether this process stands still: none of its threads has worked, and none wants to.

CPU time alone does not say it: on a busy machine a process that computes gets little of it. But
one of its threads is always running or waiting to run, and in a process that is blocked in XLA
hardly ever.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress

IDLE_SECONDS = 0.025  # of CPU since the last look: more, and XLA's own threads are computing
# CPU of the main thread: less, and it has hardly moved since the last look. One that is blocked
# in XLA wakes many times a second to look for signals: 0.05 ms a look, 0.6 ms on a busy machine.
STILL_SECONDS = 2e-3
_MAIN = threading.main_thread().ident
_TASKS = "/proc/self/task"


class CpuActivity:
    """Compares each look with the one before."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """What was done up to now does not count."""
        self.process, self.main = time.process_time(), main_cpu()

    def look(self) -> bool:
        """Whether nothing has worked since the last look, and no thread wants to."""
        process, main = self.process, self.main
        self.reset()
        idle = self.process - process < IDLE_SECONDS and self.main - main < STILL_SECONDS
        return idle and not _somebody_wants_to_run()


def main_cpu() -> float:
    """CPU seconds of the main thread; 0 where the system does not tell."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return 0.0
    return time.clock_gettime(time.pthread_getcpuclockid(_MAIN))


def _somebody_wants_to_run() -> bool:
    """Whether another thread than this one runs or waits for a CPU; Linux tells, others do not."""
    mine = str(threading.get_native_id())
    tasks = os.listdir(_TASKS) if os.path.isdir(_TASKS) else ()
    return any(_state(task) == "R" for task in tasks if task != mine)


def _state(task: str) -> str:
    with suppress(OSError), open(f"{_TASKS}/{task}/stat") as file:  # it may have ended
        return file.read().rpartition(")")[2].split()[0]
    return ""
