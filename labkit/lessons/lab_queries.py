"""What checks and truths ask of a lab, and how they put what they found into words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import labkit
from labkit.errors import LabError, Unsafe
from labkit.facts import Array, Step, Thing, Variable, device_label
from labkit.facts.labels import process_label, process_of
from labkit.text.words import process_names

DEADLINE = 10.0
"""Seconds a check lets a process wait for another: a lesson's cells end within one."""


class NotAttempted(Exception):
    """The stub is as it was."""


class Wrong(Exception):
    """What was found and what was expected, in words for the learner."""


def running(lab: Any = None) -> Any:
    """This lab, or the one that is alive in this notebook."""
    lab = lab or labkit.current()
    if lab is None:
        raise LabError("There is no lab yet. lab = labkit.start() starts one.")
    return lab


def attempt(lab: Any, name: str) -> Variable:
    """The facts of a name that the learner was to make in every process.

    Raises:
        NotAttempted: it is missing everywhere, or still the stub's ``...``.
        Wrong: some processes have it and others do not.
    """
    variable = _facts(lab, name)
    if all(_is_stub(view.value) for view in variable.views):
        raise NotAttempted(f"`{name}` is still the stub's `...`.")
    if variable.missing:
        raise Wrong(f"`{name}` is missing in {process_names(variable.missing)}.")
    return variable


def attempt_one_array(lab: Any, name: str) -> Array:
    """The same, for a name that must be one array over the devices of all processes."""
    variable = attempt(lab, name)
    value = variable.views[0].value
    if not isinstance(value, Array):
        raise Wrong(
            f"`{name}` is a `{getattr(value, 'type', type(value).__name__)}`, not an array."
        )
    if not value.spans:
        raise Wrong(f"`{name}` is an array of its own in each process; expected one over them all.")
    return value


def _facts(lab: Any, name: str) -> Variable:
    try:
        return lab.facts(name)
    except LabError as error:
        if type(error) is not LabError or lab.state == "stopped":
            raise
        raise NotAttempted(f"No process has `{name}` yet.") from None


def _is_stub(value: object) -> bool:
    return isinstance(value, Thing) and value.type == "ellipsis"


def ask(lab: Any, source: str) -> dict[int, Any]:
    """What every process gives for ``source``, an expression that calls what the learner wrote.

    Raises:
        NotAttempted: every process gives None, as an empty function does.
        Unsafe: the processes gave values that are not to be trusted.
    """
    given = dict(called(lab, source))
    if all(value is None for value in given.values()):
        raise NotAttempted("It gives None in every process.")
    return given


def called(lab: Any, source: str) -> Any:
    """The results of a call of what the learner wrote, with all that it printed.

    Raises:
        Unsafe: the processes gave values that are not to be trusted.
    """
    results = lab.run(source, deadline=DEADLINE)
    if not results.trusted:
        raise Unsafe(results.why)
    return results


_PARTS = """(lambda r: r if r is None else f"{{type(r).__name__}}" if not isinstance(r, jax.Array)
    else [np.asarray(s.data) for s in sorted(r.addressable_shards, key=lambda s: s.device.id)]
)({call})"""


def parts(lab: Any, call: str) -> dict[str, Any]:
    """Device label → its part of the array that ``call`` gives in every process.

    Raises:
        NotAttempted: every process gives None.
        Unsafe: the processes gave values that are not to be trusted.
        Wrong: what it gives is no array.
    """
    given = ask(lab, _PARTS.format(call=call))
    for process, found in given.items():
        if not isinstance(found, list):
            raise Wrong(f"process {process} gets `{found}`, expected an array over all devices.")
    return {device_label(p, d): part for p, held in given.items() for d, part in enumerate(held)}


def recorded(lab: Any, call: str) -> tuple[tuple[Step, ...], dict[str, Any]]:
    """The steps of a call of what the learner wrote, and what each device holds in the end.

    Raises:
        NotAttempted: nothing is done in it.
        Unsafe: the values are not to be trusted.
        Wrong: it gives not one array.
    """
    recording = lab.step(call, deadline=DEADLINE)
    if recording.why:
        raise Unsafe(recording.why)
    if all(step.quiet for step in recording.steps):
        raise NotAttempted("It gives back what it was given.")
    if len(recording.results) != 1:
        raise Wrong(f"It gives {len(recording.results)} arrays, expected one.")
    return recording.steps, dict(recording.results[0].held)


def brief(value: Any) -> str:
    """A value on one line: ``"[56 64]"``; text as it is."""
    if isinstance(value, str):
        return value
    text = np.array2string(np.asarray(value), threshold=16, edgeitems=4, separator=" ")
    return " ".join(text.split()).replace("[ ", "[")


def expect(found: Mapping[Any, Any], expected: Mapping[Any, Any], when: str = "") -> None:
    """Raise Wrong, in words, where ``found`` is not ``expected``.

    Args:
        found: device label or process index → value.
        expected: the same keys; values are compared exactly, shape and elements.
        when: the circumstances, put in front: ``"With equal copies:"``.
    """
    keys = sorted({*found, *expected})
    lines = [line for key in keys if (line := _difference(key, found, expected))]
    if lines:
        more = [f"… and {len(lines) - 3} more like these."] if len(lines) > 3 else []
        raise Wrong("\n".join(([when] if when else []) + lines[:3] + more))


def _difference(key: Any, found: Mapping[Any, Any], expected: Mapping[Any, Any]) -> str:
    where = process_names([key]) if isinstance(key, int) else key
    if key not in found:
        return f"{where} holds nothing; expected {brief(expected[key])}."
    if key not in expected:
        return f"{where} holds {brief(found[key])}; expected nothing there."
    if np.array_equal(found[key], expected[key]):
        return ""
    return f"{where}: found {brief(found[key])}, expected {brief(expected[key])}."


def each(values: Mapping[str, Any]) -> str:
    """Device values in one line, equal ones named once: ``"p0: [12 16], p1: [44 48]"``.

    Args:
        values: device label → value, where a process's devices hold the same.
    """
    by_process: dict[str, set[str]] = {}
    for label, value in values.items():
        by_process.setdefault(process_label(process_of(label)), set()).add(brief(value))
    texts = {process: " or ".join(sorted(held)) for process, held in by_process.items()}
    if len(texts) > 1 and len(set(texts.values())) == 1:
        return f"{next(iter(texts.values()))} everywhere"
    return ", ".join(f"{process}: {text}" for process, text in texts.items())
