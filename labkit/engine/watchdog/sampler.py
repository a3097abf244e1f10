"""Where this process is: told by a thread of its own while the main thread is blocked.

A process that waits in a collective cannot answer: its main thread sits inside XLA. But XLA
gives the interpreter lock back, so another thread can look at the main thread's stack and
publish what it sees with ipyparallel's data messages, whoever launched the engine.
"""

from __future__ import annotations

import linecache
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import jax
from ipyparallel.datapub import publish_data

from labkit.engine.cpu_activity import CpuActivity
from labkit.engine.timeline import flight_recorder
from labkit.engine.watchdog import call_site

_LOOK_SECONDS = 0.25
_STIRRED = 4  # looks
_PEEK_SECONDS = 1.0  # of waiting, between two looks into the flight recorder
_JAX = os.path.dirname(jax.__file__)
_MAIN = threading.main_thread().ident

_cell: dict[str, Any] = {}
_news = threading.Event()


@contextmanager
def watching(number: int, label: str) -> Iterator[None]:
    """While this lasts, publish where the main thread is, a few times a second."""
    _start()
    _cell.update(number=number, label=label, phase="running")
    _news.set()
    try:
        yield
    finally:
        _news.clear()
        _cell.clear()


def phase(word: str) -> None:
    """``running``: in the cell's own code; ``finishing``: waiting for its work to end."""
    _cell["phase"] = word


_thread: list[threading.Thread] = []


def _start() -> None:
    if not _thread:
        _thread.append(threading.Thread(target=_watch, name="labkit-where", daemon=True))
        _thread[0].start()


def _watch() -> None:
    look_again = _Watcher()
    while _news.wait():
        time.sleep(_LOOK_SECONDS)
        flight_recorder.cap()
        here = look()
        if here is not None:
            publish_data({"where": look_again.add(here)})


class _Watcher:
    """Adds to a place whether the process waits there, since when, and in which program."""

    def __init__(self) -> None:
        self.last: dict[str, Any] = {}
        self.since, self.program, self.launched, self.peek_at = 0.0, "", -1, 0.0
        self.stirred = 0  # looks in a row at which something moved
        self.stillness = CpuActivity()

    def add(self, here: dict[str, Any]) -> dict[str, Any]:
        in_jax, stands = here.pop("in_jax"), self._stands(here)
        here["waiting"] = stands and (in_jax or _in_compiled() or _owes())
        if here != self.last:
            self.last, self.since, self.program, self.launched = here, time.time(), "", -1
            self.peek_at = self.since + _PEEK_SECONDS
        elif here["waiting"] and time.time() > self.peek_at:
            self._peek()
        return {**here, "since": self.since, "program": self.program, "told": time.time()}

    def _peek(self) -> None:
        """Ask the recorder which program waits, and whether others were launched meanwhile.

        A loop that waits a little in every round stands at one line too, and yet moves.
        """
        told = flight_recorder.peek()
        self.program = flight_recorder.waiting(told)
        launched = len(told["launches"]) + len(told["alone"])
        if self.launched not in (-1, launched):
            self.since = time.time()
        self.launched, self.peek_at = launched, time.time() + _PEEK_SECONDS
        self.stillness.reset()  # reading the profile was not the cell's work

    def _stands(self, here: dict[str, Any]) -> bool:
        """Whether nothing moves; one busy look at the same place does not undo a wait."""
        self.stirred = 0 if self.stillness.look() else self.stirred + 1
        same = {**here, "waiting": True} == self.last
        return self.stirred == 0 or (same and self.stirred < _STIRRED)


def _in_compiled() -> bool:
    frame = sys._current_frames().get(_MAIN)
    return frame is not None and call_site.in_compiled(frame)


def _owes() -> bool:
    """Whether an array over devices of several processes has not come: its program waits."""
    with suppress(RuntimeError):  # deleted while we look
        return any(not a.is_fully_addressable and not a.is_ready() for a in jax.live_arrays())
    return False


def look() -> dict[str, Any] | None:
    """The main thread's place now: ``label``, ``line``, ``text``, ``phase``, ``in_jax``."""
    cell, frame = dict(_cell), sys._current_frames().get(_MAIN)
    if not cell:
        return None
    stack = list(_stack(frame))
    line = next((f.f_lineno for f in stack if f.f_code.co_filename == cell["label"]), 0)
    text = linecache.getline(cell["label"], line).strip() if line else ""
    # A method of a jax.Array written in C++ leaves no frame of its own.
    inside = stack[0].f_code.co_filename.startswith(_JAX) or "block_until_ready" in text
    return {**cell, "line": line, "text": text, "in_jax": inside or cell["phase"] == "finishing"}


def _stack(frame: Any) -> Iterator[Any]:
    while frame is not None:
        yield frame
        frame = frame.f_back
