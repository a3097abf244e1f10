"""Lesson 01: local and global meshes, and the psum question."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.lessons.catalog import Exercise, Question
from labkit.lessons.lab_queries import Wrong, ask, attempt, attempt_one_array, each, expect


def _local_sum(lab: Any) -> str:
    return each(lab.values("y"))


def _global_shape(lab: Any) -> str:
    return str(attempt_one_array(lab, "g").shape)


def _unbuilt_sum(lab: Any) -> str:
    return each(lab.values("w"))


def _check_total(lab: Any) -> None:
    attempt(lab, "total")
    given = ask(lab, "np.asarray(total(100 * jax.process_index() + jnp.arange(8))).tolist()")
    brought = [100 * p + np.arange(8) for p in given]
    expect(given, dict.fromkeys(given, np.sum(brought, axis=0).reshape(4, 2).sum(axis=0)))


def _check_per_process(lab: Any) -> None:
    array = attempt_one_array(lab, "per_process")
    size = sum(len(p.devices) for p in lab.processes)
    if array.mesh is None or len(array.mesh.devices) != size:
        raise Wrong(f"`per_process` does not lie on a mesh of all {size} devices.")
    sums = {p.index: (8 * p.index + np.arange(8)).reshape(4, 2).sum(axis=0) for p in lab.processes}
    expected = {d.label: sums[p.index] for p in lab.processes for d in p.devices}
    expect(lab.values("per_process"), expected)


QUESTIONS = (
    Question("01.a", "Over the mesh of `jax.local_devices()`, what will `y` be?", _local_sum),
    Question("01.b", "Each process brings 8 numbers. What will `g.shape` be?", _global_shape),
    Question(
        "01.c",
        "The global mesh, but `x` is handed over as it is, never made global. What is `w`?",
        _unbuilt_sum,
    ),
)

EXERCISES = (
    Exercise(
        "01.1",
        "A total that every process can read",
        _check_total,
        (
            "Three things in order: the global mesh, the global array, the sum.",
            "`jax.make_array_from_process_local_data` makes the global array;"
            " the sum is `psum_over(mesh)` with the global mesh.",
            "`global_mesh`, `psum_over` and `sharding` still stand from above, so one line builds"
            " the array and one returns the sum.",
        ),
    ),
    Exercise(
        "01.2",
        "A sum per process, on the global mesh",
        _check_per_process,
        (
            "A mesh can have two axes, and a sum can run along one of them only.",
            '`Mesh(np.array(jax.devices()).reshape(2, 4), ("process", "device"))` has a row for'
            " each process.",
            '`P(("process", "device"))` cuts one dimension along both axes;'
            ' `psum(v, "device")` leaves the rows apart, so the result is cut by `P("process")`.',
        ),
    ),
)
