"""How devices, processes and hosts are named, and what a name says."""

from __future__ import annotations

import re


def device_label(process: int, index: int) -> str:
    """The label of a device, ``"p1·d0"`` for device 0 of process 1."""
    return f"p{process}·d{index}"


def host_label(process: int) -> str:
    """The label of a process's own memory, where a numpy array lives: ``"p1·host"``."""
    return f"p{process}·host"


def process_of(label: str) -> int:
    """The process in a label: 1 in ``"p1·d0"`` and in ``"p1·host"``."""
    return int(label.partition("·")[0][1:])


def label_order(label: str) -> tuple[int | str, ...]:
    """Sorts labels by number: ``p2·d0`` stands before ``p10·d0``."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", label))
