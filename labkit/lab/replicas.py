"""lab.replicas: the processes are asked, what they tell is merged, and mended if wanted."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from labkit import facts
from labkit.analysis import replicas
from labkit.analysis.replica_differences import Ask, with_numbers
from labkit.display.results import Results
from labkit.errors import LabError, Unsafe
from labkit.facts.labels import label_order, process_of
from labkit.lab.engine_client import EngineClient
from labkit.text.replicas import title

_TREE = "__compared"
_COMPUTED = "computed for this in all processes, as a cell would be"
_LOOK_SECONDS = _PUT_SECONDS = 60.0  # a training state may have many gigabytes to hash
_FOR_EXAMPLE = 'a name such as params or state["params"], or several: params, opt_state'

Run = Callable[[str], Results]
Told = Mapping[int, list[Mapping[str, Any]]]
Wrong = tuple[str, facts.Slice, str, tuple[str, ...]]


def report(client: EngineClient, run: Run, expression: str, own: bool) -> facts.ReplicaReport:
    """Which copies agree.

    Args:
        client: asks the processes.
        run: runs a cell in all of them; only for what must be computed.
        expression: a tree, or several.
        own: whether arrays of each process's own are compared with each other.

    Raises:
        LabError: no process has it.
        ProcessError, NotArrived, ProcessLost, Unsafe: as of a cell, where it was computed.
    """
    began = time.perf_counter()
    with _held(client, run, expression) as (told, note):
        leaves = with_numbers(replicas.leaves(told, own), _ask(client))
    seconds = time.perf_counter() - began
    return facts.ReplicaReport(expression, leaves, seconds, replicas.nbytes(told), note)


def mended(
    client: EngineClient, run: Run, expression: str, source: int, own: bool
) -> facts.ReplicaReport:
    """Make copies equal to a process's, then look again.

    Args and errors as of :func:`mend` and :func:`report`.
    """
    fixed = mend(client, expression, source, own)
    found = report(client, run, expression, own)
    return replace(found, fixed=fixed, left=left(found, source))


def mend(client: EngineClient, expression: str, source: int, own: bool) -> tuple[str, ...]:
    """Every copy of a slice that one process holds becomes that process's.

    Its lowest device has the say. The bytes travel through this process, one slice after the
    other.

    Args:
        client: asks the processes.
        expression: names that can be assigned to.
        source: the process whose copies are right.
        own: as for :func:`report`.

    Returns:
        The paths of the leaves of which something was replaced.
    """
    with _held(client, _refuse, expression) as (told, _):
        wrong = _wrong(replicas.leaves(told, own), source)
        paths = [one[0] for one in wrong if _replace(client, source, *one)]
        if paths:
            client.ask("replicas.session", "rebind", expression)
    return tuple(dict.fromkeys(paths))


def _replace(
    client: EngineClient,
    source: int,
    path: str,
    index: facts.Slice,
    right: str,
    others: tuple[str, ...],
) -> bool:
    """Send the right copy of a slice to the other devices; False where it has no bytes to send."""
    span = tuple((0, stop - start) for start, stop in index)
    told = client.read(
        "replicas.session", "more", "windows", [((path, right), span)], chosen=[source]
    )
    if not told[source][0]:
        return False
    client.ask("replicas.session", "put", path, others, told[source], deadline=_PUT_SECONDS)
    return True


def left(found: facts.ReplicaReport, source: int) -> tuple[str, ...]:
    """The leaves that still differ after they were mended, and why."""
    why = f"process {source} holds no copy of what differs"
    return tuple(f"{title(found.name, x.path)}: {x.problem or why}" for x in found.differing)


def require_expression(expression: str, assignable: bool) -> None:
    """Refuse what no process could look up, or what no name stands for.

    Args:
        expression: what was given.
        assignable: whether it is to be mended.

    Raises:
        LabError: it is no expression; or it would have to be computed and is to be mended.
    """
    try:
        ast.parse(str(expression), mode="eval")
    except SyntaxError:
        raise LabError(f"{expression!r} was given; expected {_FOR_EXAMPLE}.") from None
    try:
        ast.parse(f"{expression} = None" if assignable else "")
    except SyntaxError:
        _refuse(expression)


def _refuse(expression: str) -> Results:
    raise LabError(
        f"{expression.removeprefix(f'{_TREE} = ')} cannot be mended: no name stands for it. "
        f"fix_from needs {_FOR_EXAMPLE}."
    )


def _wrong(leaves: tuple[facts.Leaf, ...], source: int) -> list[Wrong]:
    """(path, slice, the source's lowest device, devices that hold something else)."""
    found = []
    for leaf in leaves:
        for copies in leaf.copies:
            mine = [d for group in copies.groups for d in group if process_of(d) == source]
            if mine:
                right = min(mine, key=label_order)
                others = [d for group in copies.groups if right not in group for d in group]
                found.append((leaf.path, copies.index, right, tuple(others)))
    return found


def _ask(client: EngineClient) -> Ask:
    def ask(question: str, wanted: Any) -> Mapping[int, Any]:
        told = client.read("replicas.session", "more", question, wanted, deadline=_LOOK_SECONDS)
        return {process: answer for process, (answer,) in told.items()}

    return ask


@contextmanager
def _held(client: EngineClient, run: Run, expression: str) -> Iterator[tuple[Told, str]]:
    """What every process tells of the tree, which it holds meanwhile."""
    said, note = client.read("replicas.session", "begin", expression, deadline=_LOOK_SECONDS), ""
    if any(word == "computed" for word, _ in said.values()):
        done = run(f"{_TREE} = ({expression})")
        if not done.trusted:
            raise Unsafe(f"{expression} was computed, and is not to be trusted: {done.why}")
        said, note = (
            client.read("replicas.session", "begin", _TREE, deadline=_LOOK_SECONDS),
            _COMPUTED,
        )
    if all(word == "missing" for word, _ in said.values()):
        raise LabError(f"No process has {expression!r}. Run the cell that makes it first.")
    yield {process: records for process, (_, records) in said.items()}, note
    # Nobody waits for this: what is asked or run next comes after it.
    client.send(said, "replicas.session", "end", _TREE if note else "")
