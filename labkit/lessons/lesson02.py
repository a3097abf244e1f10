"""Lesson 02: replicas that differ, and the batch question."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.lessons.catalog import Exercise, Question
from labkit.lessons.lab_queries import Wrong, ask, attempt, attempt_one_array, called, each, expect

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


def _differ(lab: Any) -> str:
    *names, last = [name for name in ("a", "result", "s") if not lab.replicas(name).agree]
    return f"{', '.join(names)} and {last}" if names else last


def _try(lab: Any, call: str) -> None:
    """Call what the learner wrote, and require that the copies it gives agree."""
    called(lab, f"_tried = {call}\nNone")
    for leaf in lab.replicas("_tried").differing:
        raise Wrong(f"`{call}`: `{leaf.path}` differs. {leaf.problem or _groups(leaf)}")


def _groups(leaf: Any) -> str:
    holders = ", other bytes on ".join(" ".join(group) for group in leaf.groups)
    by = "" if leaf.max_abs_diff is None else f", by up to {leaf.max_abs_diff:.3g}"
    return f"The same bytes on {holders}{by}."


def _check_start(lab: Any) -> None:
    attempt(lab, "start")
    _try(lab, "[start(seed=3), start(seed=4)]")
    _require_chance(lab, "[{}]['w']", "`start(seed=3)` and `start(seed=4)`")


def _check_dropout(lab: Any) -> None:
    attempt(lab, "train")
    _try(lab, "[train(seed=3), train(seed=4)]")
    _require_chance(lab, "[{}]['w']", "Training with seed 3 and with seed 4")


def _require_chance(lab: Any, path: str, what: str) -> None:
    """Equal copies are no feat where nothing is drawn any more."""
    one, other = (lab.values("_tried" + path.format(n)) for n in (0, 1))
    if all(np.array_equal(one[label], other[label]) for label in one):
        raise Wrong(f"{what} give the same numbers: nothing is left to chance.")


def _check_sum(lab: Any) -> None:
    attempt(lab, "train")
    _try(lab, "train(np.arange(12.0).reshape(4, 3) + 10 * jax.process_index())")
    brought = [np.arange(12.0).reshape(4, 3) + 10 * p.index for p in lab.processes]
    w = (1 - 0.5**3) * np.concatenate(brought).mean(axis=0)
    found = {label: np.round(w, 4) for label, w in lab.values("_tried['w']").items()}
    expect(found, dict.fromkeys(found, w), "Three steps towards the mean of all rows:")


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
    Question("02.c", "Which of `a`, `result` and `s` have copies that differ?", _differ),
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
    Exercise(
        "02.3",
        "Parameters that start equal",
        _check_start,
        (
            "`lab.replicas` says which leaf differs, and the groups say where the line runs:"
            " between processes. What in `start` knows of the process?",
            "The key does. Copies of one array must be drawn with one key.",
            "`key = jax.random.key(seed)` in every process.",
        ),
    ),
    Exercise(
        "02.4",
        "The same rows, the same mask",
        _check_dropout,
        (
            "The groups are the two rows of `grid`: `w` differs along `model`. Which line asks"
            " where a device stands along `model`?",
            "The mask does, so devices with the same rows drop other numbers, and `pmean` over"
            " `data` never brings them together.",
            '`jax.lax.axis_index("data")`: other rows, another mask. Or average over both axes.'
            " Then `check_vma=False` is not needed either.",
        ),
    ),
    Exercise(
        "02.5",
        "A mean of all rows",
        _check_sum,
        (
            "Each process has a `w` of its own, and they differ. How far does `pmean` reach?",
            "It goes over the devices of its mesh, and `mesh` is one of `jax.local_devices()`.",
            '`mesh = Mesh(jax.devices(), ("data",))`. The rest of the program stays as it is.',
        ),
    ),
)
