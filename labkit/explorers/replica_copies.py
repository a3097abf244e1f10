"""Copies in the replicas explorer: what an array claims, which differ, what a result came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from labkit.explorers.scenes import Found, listed
from labkit.facts import Array, Shard, Slice, Variable, View
from labkit.facts.labels import process_of
from labkit.text.letters import Cut, HeldShard, cuts, held


def claim(variable: Variable) -> Variable:
    """Only what an array says of itself: who holds which slice, whatever is in it."""

    def bare(view: View) -> View:
        shards = tuple(replace(s, value=None, digest="") for s in view.value.shards)
        return replace(view, value=replace(view.value, shards=shards))

    return replace(variable, views=tuple(bare(view) for view in variable.views))


def differing(found: Found) -> list[str]:
    """Which of the two arrays has copies that differ."""
    return [name for name in ("a", "b") if any(cut.differ for cut in cuts_of(found, name))]


def cuts_of(found: Found, name: str) -> tuple[Cut, ...]:
    """The lettered slices of an array that all processes share."""
    (group,) = cuts(found[name])
    return group


def array_of(found: Found, name: str) -> Array:
    """The array that all processes share under a name."""
    (array,) = found[name].arrays
    return array


def marks(found: Found, name: str) -> dict[int, str]:
    """Process → the marks of the copies its devices hold: ``"A′ B′"``."""
    of: dict[int, dict[str, None]] = {}  # the inner one is a set that keeps its order
    for label, copy in held((cuts_of(found, name),)).items():
        of.setdefault(process_of(label), {})[copy.mark] = None
    return {process: listed(texts, " ", 8) for process, texts in of.items()}


def own_copies(found: Found) -> bool:
    """Whether every number of the result follows from the copies on its own device."""
    a, b = (held((cuts_of(found, name),)) for name in ("a", "b"))
    return all(_follows(shard, a, b) for shard in array_of(found, "result").shards)


def _follows(result: Shard, a: Mapping[str, HeldShard], b: Mapping[str, HeldShard]) -> bool:
    parts = [_part(group[result.device].shard, result.index) for group in (a, b)]
    return np.array_equal((parts[0] + 1) * (parts[1] + 2), result.value)


def _part(shard: Shard, index: Slice) -> np.ndarray:
    """The part of a shard that lies at a slice of the whole array."""
    spans = zip(index, shard.index, strict=True)
    return shard.value[tuple(slice(a - first, b - first) for (a, b), (first, _) in spans)]
