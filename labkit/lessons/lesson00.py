"""Lesson 00, start here: processes, devices, and who sees what."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.lessons.catalog import Exercise, Question
from labkit.lessons.lab_queries import ask, attempt, attempt_one_array, expect


def _counts(lab: Any) -> str:
    seen = ask(lab, "[len(jax.devices()), len(jax.local_devices())]")
    return "{} and {}".format(*seen[1])


def _holders(lab: Any) -> str:
    labels = list(lab.values("x"))
    everyone = sum(len(p.devices) for p in lab.processes)
    return f"all {everyone} devices" if len(labels) == everyone else " and ".join(labels)


def _check_last(lab: Any) -> None:
    attempt(lab, "last")
    expected = {p.devices[-1].label: 10 * p.index + np.arange(3) for p in lab.processes}
    expect(lab.values("last"), expected)


def _check_whole(lab: Any) -> None:
    attempt_one_array(lab, "whole")
    devices = [d.label for p in lab.processes for d in p.devices]
    expect(lab.values("whole"), {d: np.arange(2 * i, 2 * i + 2) for i, d in enumerate(devices)})


QUESTIONS = (
    Question(
        "00.a",
        "How many devices do `jax.devices()` and `jax.local_devices()` list in process 1?",
        _counts,
    ),
    Question(
        "00.b",
        "Both processes run `x = 10 * jax.process_index() + jnp.arange(3)`. Who holds an `x`?",
        _holders,
    ),
)

EXERCISES = (
    Exercise(
        "00.1",
        "An array on the last device of each process",
        _check_last,
        (
            "`jax.local_devices()` lists the devices of the process that asks, in order.",
            "`jax.device_put(array, device)` puts an array on one device.",
            "`jax.local_devices()[-1]` is the last one.",
        ),
    ),
    Exercise(
        "00.2",
        "One array over all devices, two numbers on each",
        _check_whole,
        (
            "Each process brings 8 numbers for its 4 devices: process 1 starts at 8.",
            "`8 * jax.process_index() + np.arange(8)` is what a process brings.",
            "`jax.make_array_from_process_local_data(sharding, mine)` makes one array of it all;"
            " `sharding` still stands from above.",
        ),
    ),
)
