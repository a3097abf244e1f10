"""What the values of a recorded program are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

ToldStep = Mapping[str, Any]

_PROMOTIONS = {"convert_element_type", "broadcast_in_dim"}  # make operands fit for what follows


def names(
    steps: Sequence[ToldStep],
    own: Mapping[int, str],
    made_from: Mapping[int, int | None],
    results: Sequence[tuple[int, ...]],
) -> dict[int, str]:
    """Value id → its name, the learner's own where there is one, else ``v`` and a number.

    No two values have one name, but for an argument and what a body is given of it: ``x``, and
    each device's part of ``x``. A name that is given again gets a mark: ``h``, ``h′``.

    Args:
        steps: in program order, as the processes told them.
        own: value id → the name of an argument or parameter.
        made_from: id of a body's argument → id of the value it is made from.
        results: keys of the results.
    """
    keys = [key for step in steps for key in (*step["reads"], *step["gives"])]
    ids = list(dict.fromkeys([*own, *(key[0] for key in (*keys, *results))]))
    wanted = {**dict(_assigned(steps)), **own}
    named: dict[int, str] = {}
    for id in ids:
        if id in wanted:
            outer = named.get(made_from.get(id))
            named[id] = outer if outer == wanted[id] else _free(wanted[id], named.values())
    left = [id for id in ids if id not in named]
    numbered = (f"v{n}" for n in range(len(ids) * 2))
    free = [name for name in numbered if name not in named.values()]
    return named | dict(zip(left, free, strict=False))


def _free(name: str, taken: Any) -> str:
    while name in taken:
        name += "′"
    return name


def _assigned(steps: Sequence[ToldStep]) -> Iterator[tuple[int, str]]:
    """Values that are all of what a line gives a name to: ``w`` in ``w = v * 2``.

    Only where one operation comes from that expression, but for what makes its operands fit: of
    several, nobody could say which of them the name is for. What a derivative makes comes from
    the same lines, and has no name.
    """
    loud = (step for step in steps if not step["quiet"])
    seen = set()
    for where, group in groupby(loud, key=lambda step: step["source"]):
        made, first = list(group), where not in seen
        seen.add(where)
        before = all(step["op"] in _PROMOTIONS for step in made[:-1])
        ids = {key[0] for key in made[-1]["gives"]}
        name = target(*where[2:])
        if name and first and before and len(ids) == 1 and not made[-1]["backward"]:
            yield next(iter(ids)), name


def target(text: str, span: tuple[int, int]) -> str:
    """The name that a line gives to what stands in ``span``; empty if it gives none.

    Args:
        text: a line that is a statement.
        span: first and one-past-last column.
    """
    indent = len(text) - len(text.lstrip())
    try:
        (statement,) = ast.parse(text.strip()).body
    except (SyntaxError, ValueError):
        return ""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return ""
    name, value = statement.targets[0], statement.value
    here = tuple(
        len(text.strip().encode()[:column].decode(errors="ignore")) + indent
        for column in (value.col_offset, value.end_col_offset)
    )
    return name.id if isinstance(name, ast.Name) and here == tuple(span) else ""
