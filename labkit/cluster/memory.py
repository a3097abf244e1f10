"""How many processes this machine's memory holds."""

from __future__ import annotations

from pathlib import Path

import psutil

from labkit.errors import StartError

# Measured sums of PSS: what a lab needs for itself, and what one more JAX process adds.
_BASE_MB, _PROCESS_MB = 160, 110
_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def free_mb() -> int:
    """Memory that is free for a lab, in MB: the machine's, or its container's if that is less."""
    free = [psutil.virtual_memory().available]
    for limit, used in _CGROUPS:
        try:
            free.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):  # no such group, or "max": no limit
            continue
    return max(0, min(free)) // 2**20


def require_room(processes: int, free: int | None = None) -> None:
    """Refuse more processes than there is memory for.

    Args:
        processes: how many are wanted.
        free: free memory in MB; measured if None.

    Raises:
        StartError: too many; the message says how many fit.
    """
    free = free_mb() if free is None else free
    fit = max(0, (free - _BASE_MB) // _PROCESS_MB)
    if processes > fit:
        raise StartError(
            f"{processes} processes need about {_BASE_MB + processes * _PROCESS_MB} MB and "
            f"{free} MB are free: this machine holds {fit} now. Start fewer, or close other "
            "notebooks."
        )
