"""Lesson 04: one sum with pmap, shard_map and jit: compiled, timed, and what can go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit import facts
from labkit.lessons.catalog import Exercise, Question
from labkit.lessons.lab_queries import NotAttempted, ask, attempt, each, expect, parts

SAME = "no difference shown"
CALLS = ("pmap", "shard_map", "jit")

_ARRAY = """jax.make_array_from_process_local_data(
    NamedSharding(Mesh(jax.devices(), ("i",)), P("i")), {own})"""
_OWN = "8 * jax.process_index() + np.arange(8) + np.float32({more})"


def _cut(lab: Any, more: float, divisor: float) -> dict[str, Any]:
    """Device → its two numbers of ``_OWN``'s array, divided."""
    devices = [device.label for process in lab.processes for device in process.devices]
    whole = (np.arange(2 * len(devices)) + more).reshape(-1, 2) / divisor
    return dict(zip(devices, whole, strict=True))


def _counts(lab: Any) -> str:
    found = ask(lab, "[len(collectives(f, v)) for f, v in programs]")
    return ", ".join(f"{name} {count}" for name, count in zip(CALLS, found[0], strict=True))


def _measured(lab: Any, count: int) -> list[facts.TimedCall]:
    """The calls of the last cell, if it measured so many."""
    laps = {p: np.asarray(took) for p, took in (lab.last or {}).items()}
    if not laps or any(took.ndim != 2 or len(took) != count for took in laps.values()):
        raise NotAttempted("The last cell measured nothing, or something else.")
    return [
        facts.TimedCall(str(i), {p: tuple(rows[i]) for p, rows in laps.items()})
        for i in range(count)
    ]


def _fastest(lab: Any) -> str:
    ways = _measured(lab, len(CALLS))
    first, *others = sorted(ways, key=lambda way: way.median)
    return CALLS[ways.index(first)] if all(map(first.apart, others)) else SAME


def _without_jit(lab: Any) -> str:
    jitted, eager = (way.median for way in _measured(lab, 2))
    if eager < 2 * jitted:
        return "about as long"
    return "2 to 5 times as long" if eager < 5 * jitted else "more than 5 times as long"


def _believed(lab: Any) -> str:
    told = ask(lab, "np.asarray(claimed)")
    return each({facts.host_label(process): value for process, value in told.items()})


def _check_share(lab: Any) -> None:
    attempt(lab, "share")
    found = parts(lab, f"share({_ARRAY.format(own=_OWN.format(more=0.5))})")
    expect(found, _cut(lab, 0.5, 128), "The total was 128 and should be divided by:")


def _check_scale(lab: Any) -> None:
    attempt(lab, "scale")
    found = parts(lab, f"scale({_ARRAY.format(own=_OWN.format(more=1))})")
    expect(found, _cut(lab, 1, 16), "Called with the numbers 1 to 16:")


QUESTIONS = (
    Question("04.a", "What will `s` be?", lambda lab: each(lab.values("s"))),
    Question("04.b", "How many collectives are in each program?", _counts),
    Question("04.c", "Which of the three is the fastest?", _fastest),
    Question("04.d", "How long does a call without `jit` take, beside one with it?", _without_jit),
    Question("04.e", "What will each process find in `claimed`?", _believed),
)

EXERCISES = (
    Exercise(
        "04.1",
        "A pmap turned into a shard_map",
        _check_share,
        (
            "What stands inside of `pmap` can stand inside of `shard_map` as it is: both see what"
            " one device holds.",
            "The mesh comes from the array: `array.sharding.mesh`. Is the result the same on all"
            " devices, or cut?",
            '`jax.shard_map(divide, mesh=array.sharding.mesh, in_specs=P("i"), out_specs=P("i"))`,'
            " under `jax.jit`, called with `array`.",
        ),
    ),
    Exercise(
        "04.2",
        "The whole array, and no device named",
        _check_scale,
        (
            "Forget the devices: how would you write it in numpy?",
            "`array / array.max()`; the array knows how it is cut.",
            "`scale = jax.jit(lambda array: array / array.max())`",
        ),
    ),
)
