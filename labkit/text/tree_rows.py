"""A tree's leaves as indented rows: what agrees is folded, what differs stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labkit.facts import Leaf

FOLD = 12
"""Up to so many leaves, every one of them has a row."""

_PART = re.compile(r"\['[^']*'\]|\[[^\]]*\]|\.?[^.\[]+")

_Parted = tuple[tuple[str, ...], Leaf]


@dataclass(frozen=True)
class Row:
    """One line of a tree.

    Attributes:
        depth: how far it is indented.
        name: ``"['w']"``, or a longer piece of a path.
        leaves: those under it; one for a leaf.
        open: whether its leaves follow in rows of their own.
    """

    depth: int
    name: str
    leaves: tuple[Leaf, ...]
    open: bool = False


def rows(leaves: Sequence[Leaf]) -> list[Row]:
    """The rows of all leaves; of many, branches that agree are one row each."""
    parted = [(tuple(_PART.findall(leaf.path)), leaf) for leaf in leaves]
    return list(_rows(parted, 0, len(leaves) > FOLD))


def _rows(members: Sequence[_Parted], depth: int, fold: bool) -> Iterator[Row]:
    branches: dict[str, list[_Parted]] = {}
    for parts, leaf in members:
        branches.setdefault(parts[0] if parts else "", []).append((parts[1:], leaf))
    for name, inside in _joined(branches, fold):
        below = tuple(leaf for _, leaf in inside)
        if len(inside) == 1:
            yield Row(depth, name + "".join(inside[0][0]), below)
        elif fold and all(leaf.agree for leaf in below):
            yield Row(depth, name, below)
        else:
            yield Row(depth, name, below, open=True)
            yield from _rows(inside, depth + 1, fold)


def _joined(branches: dict[str, list[_Parted]], fold: bool) -> Iterator[tuple[str, list[_Parted]]]:
    """The branches; neighbours that agree are one, where there are many."""
    run: list[tuple[str, list[_Parted]]] = []
    for name, inside in branches.items():
        if fold and all(leaf.agree for _, leaf in inside):
            run.append((name, inside))
        else:
            yield from _one(run)
            yield name, inside
            run = []
    yield from _one(run)


def _one(run: Sequence[tuple[str, list[_Parted]]]) -> Iterator[tuple[str, list[_Parted]]]:
    if len(run) < 3:
        yield from run
    else:
        yield f"{run[0][0]} … {run[-1][0]}", [member for _, inside in run for member in inside]
