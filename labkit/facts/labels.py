"""How devices, processes and hosts are named, and what a name says."""

from __future__ import annotations

import re
from collections.abc import Iterable


def process_label(process: int) -> str:
    """A process where there is little room: ``"p1"``."""
    return f"p{process}"


def label_at(process: int, place: str) -> str:
    """The label of a place in a process: ``"p1·d0"`` for ``"d0"``."""
    return f"{process_label(process)}·{place}"


def device_label(process: int, index: int) -> str:
    """The label of a device, ``"p1·d0"`` for device 0 of process 1."""
    return label_at(process, f"d{index}")


def host_label(process: int) -> str:
    """The label of a process's own memory, where a numpy array lives: ``"p1·host"``."""
    return label_at(process, "host")


def process_of(label: str) -> int:
    """The process in a label: 1 in ``"p1·d0"`` and in ``"p1·host"``."""
    return int(label.partition("·")[0][1:])


def place_of(label: str) -> str:
    """The place in a label: ``"d0"`` in ``"p1·d0"``, ``"host"`` in ``"p1·host"``."""
    return label.partition("·")[2]


def next_device(label: str) -> str:
    """The label after a device's, ``"p1·d1"`` after ``"p1·d0"``; empty for what is no device."""
    index = re.fullmatch(r"d(\d+)", place_of(label))
    return device_label(process_of(label), int(index[1]) + 1) if index else ""


def label_order(label: str) -> tuple[int | str, ...]:
    """Sorts labels by number: ``p2·d0`` stands before ``p10·d0``."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", label))


def largest_first(groups: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Groups of labels, the largest first, equally large ones by their lowest label."""
    each = [tuple(sorted(group, key=label_order)) for group in groups]
    return tuple(sorted(each, key=lambda group: (-len(group), label_order(group[0]))))
