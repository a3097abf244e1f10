"""The second look, at copies that differ: where, in how many elements, by how much.

Pure like :mod:`labkit.analysis.replicas`: it asks by a function it is given. Hashes of blocks tell
which blocks to fetch, and only of one device for each group of those that agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from labkit import facts
from labkit.analysis.bitwise import Tally

Ask = Callable[[str, Any], Mapping[int, Mapping[Any, Any]]]
"""A question of :class:`labkit.engine.replicas.digest.Tree` and its argument → process → answer."""

BLOCK, DIGEST = 256 * 1024, 16  # bytes, as in the engine's digest.py
AT_ONCE = 32
"""Blocks of each group that are fetched with one question: 8 MiB."""
MOST = 2048
"""Blocks of each group that are compared in all: 512 MiB."""
WINDOW = 8


@dataclass
class _Case:
    """One slice whose copies differ, and what is known of it so far."""

    leaf: int
    copies: facts.Copies
    places: list[tuple[str, str]]
    blocks: list[int] = field(default_factory=list)
    compared: int = 0
    tally: Tally = field(default_factory=Tally)


def with_numbers(
    leaves: Sequence[facts.Leaf], ask: Ask, most: int = MOST
) -> tuple[facts.Leaf, ...]:
    """The same leaves; those whose copies differ with numbers and the block around the first.

    Args:
        leaves: as :func:`labkit.analysis.replicas.leaves` made them.
        ask: how to ask the processes.
        most: blocks of 256 KiB to compare of each group, over all leaves. Every slice has its
            first ones compared.
    """
    cases = [_case(n, leaf, c) for n, leaf in enumerate(leaves) for c in leaf.copies]
    if not cases:
        return tuple(leaves)
    _find_blocks([case for case in cases if leaves[case.leaf].nbytes > BLOCK], ask)
    turns = sorted((rank, n) for n, case in enumerate(cases) for rank in range(len(case.blocks)))
    turns = turns[: max(most, len(cases))]
    for at in range(0, len(turns), AT_ONCE):
        _compare([(cases[n], cases[n].blocks[rank]) for rank, n in turns[at : at + AT_ONCE]], ask)
    windows = _windows(cases, ask)
    made: dict[int, list[facts.Copies]] = {}
    for case in cases:
        made.setdefault(case.leaf, []).append(_told(case, windows))
    return tuple(replace(leaf, copies=tuple(made.get(n, ()))) for n, leaf in enumerate(leaves))


def _case(number: int, leaf: facts.Leaf, copies: facts.Copies) -> _Case:
    # What has no bytes is no array; what fits into one block differs there.
    blocks = [0] if 0 < leaf.nbytes <= BLOCK else []
    return _Case(number, copies, [(leaf.path, group[0]) for group in copies.groups], blocks)


def _find_blocks(cases: Sequence[_Case], ask: Ask) -> None:
    if not cases:
        return
    told = _merged(ask("blocks", [place for case in cases for place in case.places]))
    for case in cases:
        hashes = [np.frombuffer(told[place], np.uint8) for place in case.places]
        head, *others = (row.reshape(-1, DIGEST) for row in hashes)
        unlike = [(row != head).any(axis=1) for row in others]
        case.blocks = [int(block) for block in np.flatnonzero(np.any(unlike, axis=0))]


def _compare(turn: Sequence[tuple[_Case, int]], ask: Ask) -> None:
    wanted = [(place, block) for case, block in turn for place in case.places]
    told = _merged(ask("elements", wanted))
    for case, block in turn:
        copies = [told[place, block] for place in case.places]
        each = BLOCK // (copies[0].nbytes // len(copies[0]))
        case.tally.add(copies, block * each)
        case.compared += 1


def _windows(cases: Sequence[_Case], ask: Ask) -> dict[Any, np.ndarray]:
    found = [case for case in cases if case.tally.first is not None]
    wanted = [(place, _window(case)) for case in found for place in case.places]
    return _merged(ask("windows", wanted)) if wanted else {}


def _merged(told: Mapping[int, Mapping[Any, Any]]) -> dict[Any, Any]:
    return {key: value for answers in told.values() for key, value in answers.items()}


def _shape(case: _Case) -> tuple[int, ...]:
    return tuple(stop - start for start, stop in case.copies.index)


def _first(case: _Case) -> tuple[int, ...]:
    """Index of the first element that differs, within the slice."""
    return tuple(int(at) for at in np.unravel_index(case.tally.first, _shape(case)))


def _window(case: _Case) -> tuple[tuple[int, int], ...]:
    """The block around the first difference, within the slice: (start, stop) a dimension."""
    return tuple(_spans(_first(case), _shape(case)))


def _spans(first: Sequence[int], shape: Sequence[int]) -> Iterator[tuple[int, int]]:
    for axis, (at, size) in enumerate(zip(first, shape, strict=True)):
        most = WINDOW if axis >= len(shape) - 2 else 1
        start = max(min(at - most // 2, size - most), 0)
        yield start, min(start + most, size)


def _told(case: _Case, windows: Mapping[Any, np.ndarray]) -> facts.Copies:
    tally = case.tally
    if tally.first is None:
        return replace(case.copies, whole=False)
    starts = [start for start, _ in case.copies.index]
    return replace(
        case.copies,
        first_index=tuple(map(sum, zip(starts, _first(case), strict=True))),
        count=tally.count,
        max_abs_diff=tally.max_abs_diff,
        nan_one_sided=tally.nan_one_sided,
        nan_payload=tally.nan_payload,
        zeros=tally.zeros,
        values=tuple(windows[place] for place in case.places),
        corner=tuple(map(sum, zip(starts, (s for s, _ in _window(case)), strict=True))),
        whole=case.compared == len(case.blocks),
    )
