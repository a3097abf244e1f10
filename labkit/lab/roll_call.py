"""From the requests of a cell to what every process is doing and has made of it so far."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from labkit import facts
from labkit.analysis.outputs import output
from labkit.text.roll_call import cause

_TRAILING = 5.0  # seconds; prints may come after the answer
_FRESH = 2.0  # seconds; who waits tells so four times a second, unless it has much else to do
_UNKNOWN = {"waiting": False, "line": 0, "phase": "running", "text": "", "since": 0.0, "told": 0.0}


def place(request: Any) -> Mapping[str, Any]:
    """What the process of an open request last published about itself.

    What it said long ago, it may have been wrong about, and had no time to say so.
    """
    last = dict(request.data).get("where") or _UNKNOWN
    return last if time.time() - last["told"] < _FRESH else {**last, "waiting": False}


def stands_still(request: Any) -> bool:
    """Whether the process of an open request waits in a call of JAX."""
    return not request.ready() and place(request)["waiting"]


def roll_call(
    requests: Mapping[int, Any], gone: Mapping[int, str], count: int, cell: str
) -> facts.RollCall:
    """Where every process is.

    Args:
        requests: process index → request of the cell.
        gone: process index → how it ended.
        count: how many processes the lab has.
        cell: the cell's name.
    """
    rows = tuple(_row(p, requests.get(p), gone.get(p)) for p in range(count))
    return facts.RollCall(rows, cause(rows), cell)


def _row(process: int, request: Any, how: str | None) -> facts.ProcessStatus:
    if how is not None:
        return facts.ProcessStatus(process, "gone", how=how)
    if request is None:
        return facts.ProcessStatus(process, "idle")
    if request.ready():
        error = (_record(request) or {}).get("error")
        return facts.ProcessStatus(
            process, "failed" if error else "ended", how=error["type"] if error else ""
        )
    return _open_row(process, place(request))


def _open_row(process: int, at: Mapping[str, Any]) -> facts.ProcessStatus:
    seconds = time.time() - at["since"] if at["waiting"] else 0.0
    state = at["phase"] if at["phase"] == "finishing" else "waiting" if at["waiting"] else "running"
    program = at.get("program", "") if at["waiting"] else ""
    return facts.ProcessStatus(process, state, at["line"], at["text"], program, seconds)


def outputs(requests: Mapping[int, Any], roll: facts.RollCall) -> tuple[facts.Output, ...]:
    """What every process has made of the cell so far."""
    return tuple(_output(p, request, roll[p]) for p, request in sorted(requests.items()))


def _output(process: int, request: Any, row: facts.ProcessStatus) -> facts.Output:
    record = _record(request)
    if record is not None:
        request.wait_for_output(_TRAILING)
    status = "" if record is not None else row.words
    return output(process, record, request.stdout + request.stderr, status)


def _record(request: Any) -> Mapping[str, Any] | None:
    """What a cell gave back; None while it runs, and for a question of the lab's own."""
    answer = request.get(0) if request.ready() and request.successful() else None
    return answer if isinstance(answer, Mapping) and "displays" in answer else None
