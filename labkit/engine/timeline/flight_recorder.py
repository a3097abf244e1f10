"""A flight recorder: every program this process launched in a cell, told by the public profiler.

It costs about a millisecond a cell. It sees compiled programs and, on each device, when every
operation began and ended. It does not see Python, nor programs launched by threads of the
learner's own. A profile the learner takes with ``jax.profiler`` goes first: ours ends there.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import jax

from labkit.engine.cpu_activity import main_cpu
from labkit.engine.timeline import executables
from labkit.engine.timeline.xplane import CAP, CLOCK, LINE, events, read

_CAP_SECONDS = 1.0  # of the main thread's CPU, in which some ten thousand programs can be launched
_MARKS = 2_000
_NO_MARK = nullcontext()

_lock = threading.Lock()
_home: dict[str, str] = {}  # where profiles are written: the lab's folder, which goes with it
_now: dict[str, Any] = {}  # the recording that is going on, empty for none


def write_in(folder: str) -> None:
    """Write the profiles there, and not in the system's folder for temporary files."""
    _home["folder"] = folder


def begin() -> None:
    """Start to record."""
    executables.begin()
    with _lock:
        _cut()  # what an earlier cell has left running that was interrupted at its very end
        _now.clear()
        _now.update(events=[], capped=False, yielded=False, marks=0)
        _now.update(gaps=[], at=(0, 0), look_at=_worked() + _CAP_SECONDS)
        _start()


def end() -> dict[str, Any]:
    """Stop, and tell what was recorded.

    Returns:
        ``bars`` and ``modules`` (see :func:`labkit.engine.timeline.xplane.read`), ``launches`` and
        ``joins`` (see :func:`labkit.engine.timeline.executables.end`); ``capped``: whether some
        is missing; ``yielded``: whether a profile of the learner's ended it; ``gaps``: (from, to)
        of the times when nothing was recorded.
    """
    with _lock:
        _cut()
        recorded = read(_now["events"])
        told = {
            **executables.end(recorded),
            "bars": recorded["bars"],
            "modules": recorded["modules"],
            "capped": recorded["capped"] or _now["capped"],
            "yielded": _now["yielded"],
            "gaps": _now["gaps"],
        }
        _now.clear()
        return told


def forget() -> None:
    """End also a profile that the learner has begun."""
    with suppress(RuntimeError):  # there is none
        jax.profiler.stop_trace()


def peek() -> dict[str, Any]:
    """What was recorded so far, from any thread, also while the main thread is blocked."""
    with _lock:
        if not _now:
            return read([])
        _cut()
        _start()
        return read(_now["events"])


def waiting(told: dict[str, Any]) -> str:
    """The program over several devices that has begun and not ended; empty if there is none.

    An operation is recorded only when it ends: the program that waits is one without any.
    """
    ended = {bar[3] for bar in told["bars"] if bar[5] is not None}
    ongoing = [launch[0] for launch in told["launches"] if launch[1] not in ended]
    return ongoing[-1] if ongoing else ""


def cap() -> None:
    """Give up on a cell that launches very many programs: reading them would cost many seconds.

    Launching takes the main thread's time, and who waits has none to spare; so this looks only
    after a second of it. While it looks, something may be missed.
    """
    with _lock:
        if not _now or _now["capped"] or _worked() < _now["look_at"]:
            return
        _cut()
        _now["capped"] = len(_now["events"]) > CAP
        if not _now["capped"]:
            _start()
        _now["look_at"] = _worked() + _CAP_SECONDS


def _worked() -> float:
    """CPU seconds of the main thread, or of all where the system does not tell."""
    return main_cpu() or time.process_time()


def at_line(line: int) -> AbstractContextManager[Any]:
    """Marks what is launched inside as belonging to a line of the cell.

    Each mark is an event in the profile; an endless loop must not fill it with them.
    """
    _now["at"] = line, time.time_ns()
    _now["marks"] += 1
    if _now["marks"] > _MARKS:
        return _NO_MARK
    return jax.profiler.TraceAnnotation(LINE, line=line)


def _start() -> None:
    if _now["yielded"] or _now["capped"]:
        return
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level, options.host_tracer_level = 0, 1
    _now["folder"] = tempfile.mkdtemp(prefix="flight-", dir=_home.get("folder"))
    try:
        _real["start_trace"](_now["folder"], profiler_options=options)
    except RuntimeError:  # a profile the learner has begun in an earlier cell goes on
        return _yield()
    with jax.profiler.TraceAnnotation(CLOCK, ns=time.time_ns()):
        pass
    if "cut" in _now:  # what began or ended meanwhile is lost
        _now["gaps"].append((_now.pop("cut"), time.time_ns()))


def _cut() -> None:
    """Stop the profiler and read its file; another cut may follow in the same cell."""
    folder = _now.get("folder")
    if folder is None:
        return
    _now["cut"] = time.time_ns()
    try:
        _stop()
        for path in glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True):
            _now["events"] += events(path)
        line, since = _now["at"]  # the statement that goes on has no mark yet
        _now["events"].append({"name": LINE, "line": line, "start": since, "took": float("inf")})
    finally:
        _now.pop("folder", None)  # not before: an interrupt would leave the profiler running
        shutil.rmtree(folder, ignore_errors=True)


def _stop() -> None:
    try:
        jax.profiler.stop_trace()
    except RuntimeError:  # the learner has stopped it
        _now["yielded"] = True


def _yield() -> None:
    shutil.rmtree(_now.pop("folder"), ignore_errors=True)
    _now["yielded"] = True


def _first(name: str) -> Callable[..., Any]:
    def learners_own(*args: Any, **kwargs: Any) -> Any:
        with _lock:
            if _now:
                _cut()
                _now["yielded"] = True
        return _real[name](*args, **kwargs)

    learners_own.__doc__ = _real[name].__doc__
    return learners_own


# A second profile cannot be started while one runs: the learner's goes first.
_real = {name: getattr(jax.profiler, name) for name in ("start_trace", "trace")}
for _name in _real:
    setattr(jax.profiler, _name, _first(_name))
