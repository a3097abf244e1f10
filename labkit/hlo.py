"""Compiled text, read: which devices a collective joins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

import numpy as np

Groups = tuple[tuple[int, ...], ...]
"""Numbers of partitions, group by group."""


def groups(text: str, partitions: int) -> Groups:
    """The groups that a collective's ``replica_groups`` names.

    Args:
        text: as compiled programs have it, one of ``{{0,1},{2,3}}``, ``{}``,
            ``[2,2]<=[2,2]T(1,0)`` and ``mesh['i'=2,'j'=2] {'j'}``.
        partitions: how many the program has.

    Returns:
        The groups in order; empty where the text is of another kind.
    """
    if text == "{}":
        return (tuple(range(partitions)),)
    if text.startswith("{{"):
        return tuple(_numbers(group) for group in re.findall(r"\{([\d,]+)\}", text))
    if found := re.fullmatch(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", text):
        shape, sizes, order = (_numbers(part or "") for part in found.groups())
        return _rows(_counted(sizes, order).reshape(shape))
    if found := re.fullmatch(r"mesh\[([^\]]*)\] \{([^}]*)\}", text):
        return _over_axes(found[1], found[2])
    return ()


def _over_axes(mesh: str, axes: str) -> Groups:
    """One group for each place along the other axes."""
    names = re.findall(r"'([^']*)'=", mesh)
    sizes = tuple(int(size) for size in re.findall(r"'=(\d+)", mesh))
    joined = re.findall(r"'([^']*)'", axes)
    if len(names) != len(sizes) or not set(joined) <= set(names):
        return ()
    others = [i for i, name in enumerate(names) if name not in joined]
    order = (*others, *(names.index(name) for name in joined))
    members = prod(sizes[names.index(name)] for name in joined)
    return _rows(_counted(sizes, order).reshape(-1, members))


def _counted(sizes: Sequence[int], order: Sequence[int]) -> np.ndarray:
    counted = np.arange(prod(sizes)).reshape(sizes)
    return counted.transpose(order) if order else counted


def _rows(table: np.ndarray) -> Groups:
    return tuple(tuple(row) for row in table.tolist())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)
