"""What the processes told of a cell, as its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labkit import facts
from labkit.analysis import arrays
from labkit.text import explain


def output(process: int, record: Mapping[str, Any] | None, text: str, status: str) -> facts.Output:
    """One process's output so far.

    Args:
        process: its index.
        record: what the engine gave back, None while it runs.
        text: what it printed.
        status: what it is doing, empty when done.
    """
    if record is None:
        return facts.Output(process, text, status=status)
    error = _explained(facts.Failure(**record["error"])) if record["error"] else None
    return facts.Output(process, text, tuple(record["displays"]), record["result"], error)


def _explained(failure: facts.Failure) -> facts.Failure:
    return replace(failure, help=explain.failure(failure))


def values(records: Mapping[int, Mapping[str, Any]]) -> dict[int, Any]:
    """Decode every process's value; an array that spans processes gets the shards of all."""
    tagged = {process: record["value"] for process, record in records.items()}
    if all(value is not None and value[0] == "fact" for value in tagged.values()):
        found = arrays.variable("", {process: value[1] for process, value in tagged.items()})
        seen = {process: view.value for view in found.views for process in view.processes}
        return {process: seen[process] for process in sorted(seen)}
    return {p: None if value is None else arrays.decode(value) for p, value in tagged.items()}
