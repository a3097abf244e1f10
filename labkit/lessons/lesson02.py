"""Lesson 02: replicas that differ, and the batch question."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.lessons.look import ask, attempt, attempt_one_array, each, expect
from labkit.lessons.parts import Exercise, Question

_TRIALS = {
    "With equal copies:": ("np.arange(6)", False),
    "With copies that differ everywhere:": ("np.full(6, jax.process_index())", True),
    "With copies that differ in one element:": (
        "np.arange(6) + 7 * jax.process_index() * np.eye(6, dtype=int)[4]",
        True,
    ),
}
"""What is tried → the copy each process claims, and whether those of the others differ."""

_CALL = """differing(jax.make_array_from_process_local_data(
    NamedSharding(Mesh(jax.devices(), ("i",)), P()), {copy}))"""


def _fills(lab: Any, name: str) -> str:
    return each({label: np.unique(value).squeeze() for label, value in lab.values(name).items()})


def _check_same(lab: Any) -> None:
    attempt_one_array(lab, "same")
    copy = next(iter(lab.values("a").values()))
    expect(lab.values("same"), {d.label: copy for p in lab.processes for d in p.devices})


def _check_differing(lab: Any) -> None:
    attempt(lab, "differing")
    for when, (copy, differs) in _TRIALS.items():
        given = ask(lab, _CALL.format(copy=copy))
        others = [p.index for p in lab.processes if differs and p.index > 0]
        expect(given, dict.fromkeys(given, others), when)


QUESTIONS = (
    Question(
        "02.a",
        "`a` says it is replicated. What will `process_allgather(a, tiled=True)` give?",
        lambda lab: _fills(lab, "gathered"),
    ),
    Question(
        "02.b",
        "What will `(a + 1) * (b + 2)` hold?",
        lambda lab: _fills(lab, "result"),
    ),
)

EXERCISES = (
    Exercise(
        "02.1",
        "Copies that are equal",
        _check_same,
        (
            "One process's copy must travel to the others.",
            "`multihost_utils.broadcast_one_to_all` sends process 0's value to every process;"
            " `np.asarray(a)` is a process's own copy.",
            "Build `same` from what arrived as `a` was built:"
            " `jax.make_array_from_process_local_data(a.sharding, arrived)`.",
        ),
    ),
    Exercise(
        "02.2",
        "Find who holds something else",
        _check_differing,
        (
            "`process_allgather(a, tiled=True)` believes the claim and looks no further."
            " A numpy array makes no claim.",
            "`multihost_utils.process_allgather(np.asarray(a))` stacks every process's own copy:"
            " the first axis counts processes.",
            "Compare each copy with `copies[0]`, and give back the numbers of those that differ.",
        ),
    ),
)
