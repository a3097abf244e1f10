"""Lesson 05: a process that does not arrive, and one that arrives in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.lessons.catalog import Exercise, Question
from labkit.lessons.lab_queries import NotAttempted, Wrong, ask, attempt, called, expect

WAITS = "it waits"
SILENT = "wrong numbers, and no error"

_ARRAY = """jax.make_array_from_process_local_data(
    NamedSharding(Mesh(jax.devices(), ("i",)), P("i")),
    {factor} * np.arange(1, 1 + jax.local_device_count()) + 100 * jax.process_index())"""
"""One number a device, and other ones for each factor."""

_FACTORS = {"loss": 2, "accuracy": 3, "norm": 5, "rate": 7}


def _whole(lab: Any, factor: int) -> np.ndarray:
    """What all devices hold of the array, in order."""
    own = (factor * np.arange(1, 1 + len(p.devices)) + 100 * p.index for p in lab.processes)
    return np.concatenate(list(own))


def _alone(lab: Any) -> str:
    if lab.roll_call().cause:
        return WAITS
    if lab.last is None:
        raise NotAttempted("No cell has run since the reset.")
    printed = [output.text.strip() for output in lab.last.outputs if output.text.strip()]
    return f"it prints {printed[0]}" if printed else "it prints nothing"


def _swapped(lab: Any) -> str:
    held = {name: lab.values(name, untrusted=True) for name in ("x", "s", "m")}
    every = np.concatenate(list(held["x"].values()))
    right = {"s": every.sum(), "m": every.max()}
    found = [value == right[name] for name in right for value in held[name].values()]
    return "{s} and {m}, as before".format(**right) if all(found) else SILENT


def _check_log(lab: Any) -> None:
    attempt(lab, "log_total")
    arrays = ", ".join(_ARRAY.format(factor=factor) for factor in (1, 10))
    done = called(lab, f"[log_total(array) for array in ({arrays})]")
    printed = {output.process: output.text.split() for output in done.outputs}
    if not any(printed.values()) and all(given == [None, None] for given in done.values()):
        raise NotAttempted("It printed nothing in any process.")
    sums = [str(_whole(lab, factor).sum()) for factor in (1, 10)]
    expected = {process: [] if process else sums for process in printed}
    expect(_words(printed), _words(expected), "Called with two arrays, one after the other:")


def _words(printed: dict[int, list[str]]) -> dict[int, str]:
    return {p: " ".join(words) or "nothing printed" for p, words in printed.items()}


def _check_totals(lab: Any) -> None:
    attempt(lab, "totals")
    names = ", ".join(f'"{name}": {_ARRAY.format(factor=f)}' for name, f in _FACTORS.items())
    turned = f"dict(sorted({{{names}}}.items(), reverse=jax.process_index() % 2))"
    given = ask(
        lab,
        f"(lambda t: t and {{n: np.asarray(v).tolist() for n, v in t.items()}})(totals({turned}))",
    )
    for process, found in given.items():
        if set(found) != set(_FACTORS):
            raise Wrong(f"process {process} gives {sorted(found)}, expected {sorted(_FACTORS)}.")
    expected = [_whole(lab, factor).sum() for factor in _FACTORS.values()]
    found = {process: [each[name] for name in _FACTORS] for process, each in given.items()}
    expect(found, dict.fromkeys(found, expected), f"In the order {', '.join(_FACTORS)}:")


QUESTIONS = (
    Question("05.a", "Only process 0 calls `total(x)` and prints it. What happens there?", _alone),
    Question(
        "05.b",
        "Process 0 calls `total`, then `largest`; process 1 calls them the other way round."
        " What do they get?",
        _swapped,
    ),
)

EXERCISES = (
    Exercise(
        "05.1",
        "Only one prints, but all arrive",
        _check_log,
        (
            "Two things happen in that line: a sum over all devices, and a print. Only one of"
            " them is for process 0 alone.",
            "Every process must call `total`, so the call must stand outside of the `if`.",
            "`result = total(array)` in every process, then `if jax.process_index() == 0:` and"
            " `print(result)`.",
        ),
    ),
    Exercise(
        "05.2",
        "The same order everywhere",
        _check_totals,
        (
            "All processes have the same names. What is an order that they can all find by"
            " themselves?",
            "`sorted(metrics)` is a list of the names, equal in every process.",
            "`{name: int(total(metrics[name])) for name in sorted(metrics)}`",
        ),
    ),
)
