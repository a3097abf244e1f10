"""The layout of the lab: its state, and each process with its devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.draw.frame import framed
from labkit.draw.items import Card, Pill, ProcessBox, label, process_head, sentence, width
from labkit.draw.layout import Node, column, even, grid, padded, row
from labkit.draw.picture import Picture
from labkit.facts import Device, Process
from labkit.text.lab import lab_text
from labkit.text.words import count

MARKS = {
    "starting": "○",
    "ready": "●",
    "running": "▶",
    "waiting": "…",
    "unsafe": "▲",
    "lost": "✕",
    "stopped": "■",
}


MOST = 684.0
"""Width for the boxes, in pixels."""


def lab_node(processes: Sequence[Process], state: str, gone: Mapping[int, str]) -> Node:
    """The lab, laid out: the state in words above the boxes of its processes."""
    total = sum(len(process.devices) for process in processes)
    told = f"{count(len(processes), 'process', 'processes')}, {count(total, 'device')}"
    head = row([_state(state), label(told, "words")], 10, 0.5)
    boxes = even([_process(process, processes, gone, total >= 16) for process in processes])
    return column([head, grid(boxes, _columns(boxes), 12, 12)], 12)


def _columns(boxes: Sequence[Node]) -> int:
    """As many in a row as fit, with rows about equally full."""
    most = max(int((MOST + 12) // (boxes[0].w + 12)), 1) if boxes else 1
    rows = -(-len(boxes) // most)
    return -(-len(boxes) // rows) if rows else 1


def _state(state: str) -> Node:
    words = f"{MARKS.get(state, '○')}  {state}"
    return Node(width(words, "head") + 22, 24, Pill(words, f"state lk-{state}"))


def _process(
    process: Process, processes: Sequence[Process], gone: Mapping[int, str], small: bool
) -> Node:
    ended = gone.get(process.index, "")
    parts = [process_head(process, processes)]
    if ended:
        parts.append(sentence(f"not there: {ended}", "warn", 200))
    else:
        nodes = even([_device(device, small) for device in process.devices])
        parts.append(grid(nodes, min(len(nodes), 8), 5, 5))
    return padded(column(parts, 8), 10, 9, 10, 10, ProcessBox(process.index, ended))


def _device(device: Device, small: bool) -> Node:
    if small:
        return Node(33, 26, Card(device.label, title=f"{device.label}, {device.kind}", tile=True))
    card = Card(device.label, title=f"{device.label}, {device.kind}")
    return Node(width(device.label, "small") + 20, 32, card)


def lab(
    processes: Sequence[Process],
    state: str = "ready",
    why: str = "",
    gone: Mapping[int, str] | None = None,
) -> Picture:
    """The lab: each process a box with its devices inside, and the lab's state.

    Args:
        processes: the processes, in order.
        state: a word: ``starting ready running waiting unsafe lost stopped``.
        why: why no number may be trusted; empty when they may.
        gone: process index → how it ended, for processes that are no longer there.
    """
    text = lab_text(processes, state, why, gone or {})
    return framed(lab_node(processes, state, gone or {}), why, text)
