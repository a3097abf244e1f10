"""The layout of the lab: its state, and each process with its devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.draw.boxes import Node, column, even, flow, grid, padded, row
from labkit.draw.items import Card, Pill, ProcessBox, label, labels, sentence, width
from labkit.draw.words import count, short
from labkit.facts import Device, Process

MARKS = {
    "starting": "○",
    "ready": "●",
    "running": "▶",
    "waiting": "…",
    "unsafe": "▲",
    "lost": "✕",
    "stopped": "■",
}


def lab_node(processes: Sequence[Process], state: str, gone: Mapping[int, str]) -> Node:
    """The lab, laid out: the state in words above the boxes of its processes."""
    total = sum(len(process.devices) for process in processes)
    told = f"{count(len(processes), 'process', 'processes')}, {count(total, 'device')}"
    head = row([_state(state), label(told, "words")], 10)
    boxes = even([_process(process, processes, gone, total >= 16) for process in processes])
    return column([head, flow(boxes, 680, 12)], 12)


def _state(state: str) -> Node:
    words = f"{MARKS.get(state, '○')} {state}"
    return Node(width(words, "code") + 22, 24, Pill(words, f"state-{state}"))


def _process(
    process: Process, processes: Sequence[Process], gone: Mapping[int, str], small: bool
) -> Node:
    ended = gone.get(process.index, "")
    parts = [_head(process, processes)]
    if ended:
        parts.append(sentence(f"not there: {ended}", "warn", 200))
    else:
        nodes = [_device(device, small) for device in process.devices]
        parts.append(grid(nodes, min(len(nodes), 8), 6, 6))
    return padded(column(parts, 8), 12, 9, 12, 12, ProcessBox(process.index, ended))


def _head(process: Process, processes: Sequence[Process]) -> Node:
    hosts = {other.host for other in processes}
    name = [label(f"process {process.index}", "head")]
    return row(name + labels([short(process.host, 24)], "small") if len(hosts) > 1 else name, 8)


def _device(device: Device, small: bool) -> Node:
    if small:
        return Node(34, 26, Card(device.label, title=f"{device.label}, {device.kind}", tile=True))
    card = Card(device.label, title=f"{device.label}, {device.kind}")
    return Node(width(device.label, "small") + 20, 32, card)
