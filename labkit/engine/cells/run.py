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

_FRAMES = 5  # the learner's function, the cell, lines.execute, _execute, run


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


def run(
    number: int, label: str, source: str, namespace: str | None, step: bool = False
) -> dict[str, Any]:
    """Run a cell and everything it dispatched.

    Args:
        number: the cell's number in the lab.
        label: its file name in tracebacks, equal in all processes: two processes that run the
            same source must compile the same program.
        source: the code.
        namespace: None for the learner's own.
        step: record the last expression instead of evaluating it.

    Returns:
        ``value`` (see :func:`labkit.engine.arrays.queries.plain`), ``result`` (mime bundle),
        ``displays`` (mime bundles), ``error`` (None or the fields of a Failure), ``flight``
        (see :func:`labkit.engine.timeline.flight_recorder.end`), ``recording`` (None, or see
        :func:`labkit.engine.recording.record.record`).
    """
    record: dict[str, Any] = {"value": None, "result": {}, "error": None, "recording": None}
    flight_recorder.begin()
    with sampler.watching(number, label), capture_output(False, False, True) as captured:
        with _failing_into(record):
            value, record["recording"] = _execute(label, source, names(namespace), step)
            sampler.phase("finishing")
            drain()
            record["value"] = queries.plain(value)
            record["result"] = _bundle(source, value)
        if record["error"]:
            with _failing_into({}):
                drain()
        get_ipython().events.trigger("post_execute")  # matplotlib shows its figures here
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what follows is short, and must not be torn
    record["flight"] = flight_recorder.end()
    record["displays"] = [output.data for output in captured.outputs]
    sys.stdout.flush()
    sys.stderr.flush()
    return record


@contextmanager
def _failing_into(record: dict[str, Any]) -> Iterator[None]:
    try:
        yield
    except BaseException as error:  # SystemExit too: it ends the cell, not the process
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # one is enough; restored after the cell
        record["error"] = _failure(error)


def _execute(label: str, source: str, namespace: dict[str, Any], step: bool) -> tuple[Any, Any]:
    """Execute all statements: the last one's value if it is an expression, or its recording."""
    source = statements.python(source)
    linecache.cache[label] = (len(source), None, source.splitlines(True), label)
    value, tree = None, ast.parse(source, label)
    compile(tree, label, "exec")  # what is no Python is refused before anything has run
    recorded = tree.body.pop() if step else None
    for statement in tree.body:
        value = statements.execute(statement, label, namespace, flight_recorder.at_line)
    if recorded is None:
        return value, None
    with flight_recorder.at_line(recorded.lineno):
        return None, record_call(recorded.value, label, namespace)


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
