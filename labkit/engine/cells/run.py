"""Run one cell in this process: execute, wait for its work, return plain data."""

from __future__ import annotations

import ast
import linecache
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
from IPython import get_ipython
from IPython.utils.capture import capture_output

from labkit.engine import join
from labkit.engine.arrays import queries
from labkit.engine.cells import statements
from labkit.engine.cells.drain import drain
from labkit.engine.cells.namespaces import START_NAMES, names
from labkit.engine.recording.record import record as record_call
from labkit.engine.timeline import flight_recorder
from labkit.engine.watchdog import sampler

_FRAMES = 5  # the learner's function, the cell, statements.execute, _execute, run


def prepare() -> dict[str, Any]:
    """Put the start names into the learner's namespace; describe this process."""
    get_ipython().user_ns.update(START_NAMES)
    # A compiled program names the frames it was traced in. Those beyond ``run`` are no cell's, and
    # they differ: ipykernel's holds the number of the message, as long as it has digits.
    jax.config.update("jax_traceback_in_locations_limit", _FRAMES)
    for name in ("exit", "quit"):  # IPython's would end the process, Python's own end the cell
        get_ipython().user_ns.pop(name, None)
    join.remember()
    return queries.process()


def run(number: int, label: str, source: str, namespace: str | None) -> dict[str, Any]:
    """Run a cell and everything it dispatched; its last expression gives its value.

    Args:
        number: the cell's number in the lab.
        label: its file name in tracebacks, equal in all processes: two processes that run the
            same source must compile the same program.
        source: the code.
        namespace: None for the learner's own.

    Returns:
        ``value`` (see :func:`labkit.engine.arrays.queries.plain`; None where the cell raised),
        ``result`` (mime bundle), ``displays`` (mime bundles), ``error`` (None or the fields of a
        Failure), ``flight`` (see :func:`labkit.engine.timeline.flight_recorder.end`).
    """
    with _telling(number, label, "value") as told, _failing_into(told):
        value = _execute(_statements(label, source), label, names(namespace))
        _finish()
        told["value"] = queries.plain(value)
        told["result"] = _bundle(source, value)
    return told


def record(number: int, label: str, source: str, namespace: str | None) -> dict[str, Any]:
    """Run a cell as :func:`run` does, but record its last expression.

    Returns:
        As of :func:`run`, but in place of ``value`` the ``recording`` (see
        :func:`labkit.engine.recording.record.record`; None where the cell raised).
    """
    with _telling(number, label, "recording") as told, _failing_into(told):
        *before, last = _statements(label, source)
        _execute(before, label, names(namespace))
        told["recording"] = _record(last, label, names(namespace))
        _finish()
    return told


@contextmanager
def _telling(number: int, label: str, given: str) -> Iterator[dict[str, Any]]:
    """What this process will tell of the cell that runs inside, which is watched and recorded.

    Args:
        number: the cell's number in the lab.
        label: its file name.
        given: under what word its last expression is told.
    """
    told: dict[str, Any] = {given: None, "result": {}, "error": None}
    flight_recorder.begin()
    with sampler.watching(number, label), capture_output(False, False, True) as captured:
        yield told
        if told["error"]:
            with _failing_into({}):
                drain()
        get_ipython().events.trigger("post_execute")  # matplotlib shows its figures here
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what follows is short, and must not be torn
    told["flight"] = flight_recorder.end()
    told["displays"] = [output.data for output in captured.outputs]
    sys.stdout.flush()
    sys.stderr.flush()


@contextmanager
def _failing_into(told: dict[str, Any]) -> Iterator[None]:
    try:
        yield
    except BaseException as error:  # SystemExit too: it ends the cell, not the process
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # one is enough; restored after the cell
        told["error"] = _failure(error)


def _statements(label: str, source: str) -> list[ast.stmt]:
    """The cell's; what is no Python is refused before anything has run."""
    source = statements.python(source)
    linecache.cache[label] = (len(source), None, source.splitlines(True), label)
    tree = ast.parse(source, label)
    compile(tree, label, "exec")
    return tree.body


def _execute(body: list[ast.stmt], label: str, namespace: dict[str, Any]) -> Any:
    """Execute statements; the value of the last one if it is an expression."""
    value = None
    for statement in body:
        value = statements.execute(statement, label, namespace, flight_recorder.at_line)
    return value


def _record(expression: ast.Expr, label: str, namespace: dict[str, Any]) -> dict[str, Any]:
    with flight_recorder.at_line(expression.lineno):
        return record_call(expression.value, label, namespace)


def _finish() -> None:
    """Wait for the work of a cell whose code has ended."""
    sampler.phase("finishing")
    drain()


def _bundle(source: str, value: Any) -> dict[str, Any]:
    if value is None or source.rstrip().endswith(";"):
        return {}
    return get_ipython().display_formatter.format(value)[0]


def _failure(error: BaseException) -> dict[str, Any]:
    """What a learner needs of an exception: its text and the lines of their own cells."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [(f.filename, f.lineno, f.line or "") for f in frames if _own(f.filename)]
    own = list(dict.fromkeys(own))  # a comprehension has a frame of its own
    if isinstance(error, SyntaxError) and error.lineno:
        text = error.text or linecache.getline(error.filename or "", error.lineno)
        own.append((error.filename or "", error.lineno, text.rstrip()))
    return {
        "type": type(error).__name__,
        "message": str(error),
        "lines": tuple(own),
        "traceback": "".join(traceback.format_exception(error)),
    }


def _own(filename: str) -> bool:
    return filename in linecache.cache and linecache.cache[filename][1:2] == (None,)
