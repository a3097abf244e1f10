"""Which values of a step are equal: the same letter and colour stand for the same bytes."""

from __future__ import annotations

from labkit.facts import Step, Value

Letters = dict[tuple[Value, str], int]
"""(value, device label) → number of the letter of what that device holds of the value.

By the value and not by its name: a learner may call the result what the operand was called.
"""


def alike(step: Step) -> Letters:
    """Numbers given out in the order in which different contents are met, operands first.

    Within one step equal letters are equal contents, whichever value they belong to, so a
    permutation shows as the same letters in other places. A device that did not run has none.
    """
    seen: dict[object, int] = {}
    return {
        (value, device): seen.setdefault(_content(value, device), len(seen))
        for value in (*step.reads, *step.gives)
        for device in value.held
        if device not in step.skipped
    }


def _content(value: Value, device: str) -> object:
    """Something equal where the contents are equal; of its own where that is not known."""
    array = value.held[device]
    if device in value.digests:
        return value.dtype, value.shape, value.digests[device]
    if value.complete:
        return value.dtype, array.shape, array.tobytes()
    return value.name, device
