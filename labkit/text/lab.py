"""The lab in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.facts import Process
from labkit.text.words import band_lines, count


def lab_text(processes: Sequence[Process], state: str, why: str, gone: Mapping[int, str]) -> str:
    """The lab in words: its state, then one line a process."""
    devices = sum(len(process.devices) for process in processes)
    head = f"lab {state}: {count(len(processes), 'process', 'processes')}, "
    lines = [*band_lines(why), head + count(devices, "device")]
    return "\n".join(lines + [_process_line(process, gone) for process in processes])


def _process_line(process: Process, gone: Mapping[int, str]) -> str:
    if process.index in gone:
        return f"  process {process.index}  not there: {gone[process.index]}"
    labels = " ".join(device.label for device in process.devices)
    return f"  process {process.index}  {labels}" + (f"  on {process.host}" * bool(process.host))
