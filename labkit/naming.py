"""What the values of a recorded program are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def names(
    steps: Sequence[Mapping[str, Any]],
    own: Mapping[int, str],
    made_from: Mapping[int, int | None],
    results: Sequence[tuple[int, ...]],
) -> dict[int, str]:
    """Value id → its name, the learner's own where there is one, else ``v`` and a number.

    No two values have one name, but for an argument and what a body is given of it: ``x``, and
    each device's part of ``x``.

    Args:
        steps: in program order, as the processes told them.
        own: value id → a name of the learner's.
        made_from: id of a body's argument → id of the value it is made from.
        results: keys of the results.
    """
    keys = [key for step in steps for key in (*step["reads"], *step["gives"])]
    ids = dict.fromkeys([*own, *(key[0] for key in (*keys, *results))])
    named: dict[int, str] = {}
    taken: set[str] = set()
    for id in ids:
        if id in own:
            named[id] = _own(own[id], named.get(made_from.get(id)), taken)
            taken.add(named[id])
    left = (id for id in ids if id not in named)
    free = (name for n in range(len(ids) + len(taken)) if (name := f"v{n}") not in taken)
    return named | dict(zip(left, free, strict=False))


def _own(name: str, outer: str | None, taken: set[str]) -> str:
    if outer == name:
        return name
    while name in taken:
        name += "′"
    return name
