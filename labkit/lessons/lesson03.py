"""Lesson 03: collectives, one step at a time, and programs of the learner's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labkit.lessons.catalog import Exercise, Question
from labkit.lessons.lab_queries import Wrong, attempt, brief, expect, parts, recorded

_CUT = "jax.device_put(np.array({numbers}), NamedSharding(Mesh({devices}, {axes}), P({axes})))"
_LINE = {"devices": "jax.devices()", "axes": "('i',)"}
_GRID = {
    "devices": "np.array(jax.devices()).reshape(jax.process_count(), -1)",
    "axes": "('process', 'device')",
}


def _squares(lab: Any) -> np.ndarray:
    """A row for each device, with a number for each."""
    count = sum(len(process.devices) for process in lab.processes)
    return np.arange(count**2).reshape(count, count) ** 2


def _holds(call: str, device: str) -> Callable[[Any], str]:
    """What a device holds after a call."""
    return lambda lab: brief(parts(lab, call)[device])


def _gathered(lab: Any) -> str:
    sizes = {np.size(part) for part in parts(lab, "gather(x)").values()}
    return " or ".join(f"{size} numbers" for size in sorted(sizes))


def _recorded(
    lab: Any, name: str, given: np.ndarray, mesh: dict[str, str], wanted: np.ndarray
) -> set[str]:
    """Hold the learner's function against what numpy gives; the operations it is made of.

    Args:
        lab: the lab.
        name: of the function.
        given: the whole data, cut along its first dimension over all devices.
        mesh: the texts of its devices and axes.
        wanted: what the devices should hold afterwards, one after the other.
    """
    attempt(lab, name)
    array = _CUT.format(numbers=given.tolist(), **mesh)
    steps, held = recorded(lab, f"{name}({array})")
    devices = [device.label for process in lab.processes for device in process.devices]
    expected = dict(zip(devices, np.split(wanted, len(devices)), strict=True))
    expect(held, expected, "Called with other numbers, cut over all devices:")
    return {step.op for step in steps}


def _check_psum(lab: Any) -> None:
    rows = _squares(lab)
    used = _recorded(lab, "my_psum", rows.ravel(), _LINE, np.tile(rows.sum(axis=0), len(rows)))
    if used & {"psum", "pmean"}:
        raise Wrong("The numbers are right, but there is a `psum` in it.")
    if not {"psum_scatter", "all_gather"} <= used:
        raise Wrong("The numbers are right, but not made by a `psum_scatter` and an `all_gather`.")


def _check_next(lab: Any) -> None:
    rows = _squares(lab)
    shifted = np.concatenate([rows[1:], np.zeros_like(rows[:1])])
    _recorded(lab, "from_next", rows.ravel(), _LINE, shifted.ravel())


def _check_transpose(lab: Any) -> None:
    blocks = np.kron(_squares(lab), [[1, 2], [3, 4]])
    used = _recorded(lab, "transpose", blocks, _LINE, blocks.T)
    if "all_gather" in used:
        raise Wrong("The numbers are right, but with an `all_gather` every device sees the whole.")


def _check_mean(lab: Any) -> None:
    rows = _squares(lab)
    mean = rows.reshape(len(lab.processes), -1).mean(axis=0)
    _recorded(lab, "mean_across", rows.ravel(), _GRID, np.tile(mean, len(lab.processes)))


QUESTIONS = (
    Question(
        "03.a",
        "`p0·d0` holds 0 1 2 3. What will the `psum` give there?",
        _holds('over(lambda v: jax.lax.psum(v, "i"))(x)', "p0·d0"),
    ),
    Question("03.b", "How many numbers will each device hold then?", _gathered),
    Question(
        "03.c",
        "`p0·d1`, the second device, holds 10 11 12 13. What will it keep of the sum?",
        _holds("scatter(x)", "p0·d1"),
    ),
    Question("03.d", "What will `p0·d0` hold then?", _holds("ring(x)", "p0·d0")),
    Question("03.e", "What will `p0·d0` hold then?", _holds("swap(x)", "p0·d0")),
    Question("03.f", "What will `p0·d0` hold after `across`?", _holds("across(y)", "p0·d0")),
)

EXERCISES = (
    Exercise(
        "03.1",
        "A psum out of its two halves",
        _check_psum,
        (
            "The first half adds up and leaves each device a part of the sum; the second half"
            " hands the parts round.",
            'Both take `(v, "i", tiled=True)`.',
            'First `part = jax.lax.psum_scatter(v, "i", tiled=True)`, then give back'
            ' `jax.lax.all_gather(part, "i", tiled=True)`.',
        ),
    ),
    Exercise(
        "03.2",
        "A row of devices, not a ring",
        _check_next,
        (
            "In `ring` everyone sends to the next one. Here everyone sends to the one *before*.",
            "A device that no pair sends to gets zeros, so the pair for the last one is left out.",
            "The pairs are `[(1, 0), (2, 1), (3, 2)]`.",
        ),
    ),
    Exercise(
        "03.3",
        "A matrix transposed over four devices",
        _check_transpose,
        (
            "`v` has two rows and eight columns. Which columns does device 0 need in the end, and"
            " from whom?",
            "`all_to_all` with `split_axis=1` sends each device its two columns; `concat_axis=0`"
            " puts what arrives one under the other.",
            "Then a device has eight rows of two numbers: `.T` makes two rows of them.",
        ),
    ),
    Exercise(
        "03.4",
        "A mean along one axis of two",
        _check_mean,
        (
            "Devices in the same place of two processes differ along one axis only. Which?",
            "`jax.lax.pmean` takes the name of the axis along which devices meet.",
            '`jax.lax.pmean(v, "process")`',
        ),
    ),
)
