"""Which devices that should hold the same bytes do hold the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labkit.facts.arrays import Slice


@dataclass(frozen=True, eq=False)
class Copies:
    """One slice of one leaf whose copies differ.

    Attributes:
        index: the slice, one (start, stop) pair a dimension, in the array's coordinates.
        groups: device labels that agree, the largest group first; equal sizes: lowest label first.
        first_index: first differing index in the array's coordinates, () for a scalar;
            None where elements could not be compared.
        count: how many elements differ in their bits between any group and the first.
        max_abs_diff: largest absolute difference of numbers that are no NaN; None if not numbers.
        nan_one_sided: elements that are NaN in one copy and none in another.
        nan_payload: elements that are NaN in both, with other bits.
        zeros: elements that are 0.0 in one copy and -0.0 in another.
        values: for each group, the block around ``first_index`` (at most 8 × 8).
        corner: where that block begins, in the array's coordinates.
        whole: whether all elements were compared; where not, the numbers are of those that were,
            and ``count`` is the least it can be.
    """

    index: Slice
    groups: tuple[tuple[str, ...], ...]
    first_index: tuple[int, ...] | None = None
    count: int = 0
    max_abs_diff: float | None = None
    nan_one_sided: int = 0
    nan_payload: int = 0
    zeros: int = 0
    values: tuple[np.ndarray, ...] = ()
    corner: tuple[int, ...] = ()
    whole: bool = True


@dataclass(frozen=True, eq=False)
class Leaf:
    """One leaf of the tree.

    Attributes:
        path: ``"['w']"``, ``".layers[0].bias"``; empty for a single array.
        shape, dtype: as most processes have them.
        spec: its PartitionSpec, None where it has none.
        nbytes: of one whole copy.
        copies: the slices whose copies differ; empty when all agree.
        problem: what differs besides bytes, in words: missing in process 1, other shape, other
            dtype, other spec, deleted, host values that differ.
        checked: how many copies were compared with another one; 0 where each device has the
            only copy of its slice.
        own: whether each process has an array, or a value, of its own here.
    """

    path: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    spec: tuple[object, ...] | None = None
    nbytes: int = 0
    copies: tuple[Copies, ...] = ()
    problem: str = ""
    checked: int = 0
    own: bool = False

    @property
    def agree(self) -> bool:
        """Whether nothing about it differs."""
        return not self.copies and not self.problem

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Device labels that agree, of the slice where the first difference is."""
        return self._first.groups if self._first else ()

    @property
    def first_index(self) -> tuple[int, ...] | None:
        """First differing index in the array's coordinates, over all slices."""
        return self._first.first_index if self._first else None

    @property
    def count(self) -> int:
        """How many elements differ, over all slices."""
        return sum(copies.count for copies in self.copies)

    @property
    def max_abs_diff(self) -> float | None:
        """Largest absolute difference of numbers, over all slices; None if not numbers."""
        found = [c.max_abs_diff for c in self.copies if c.max_abs_diff is not None]
        return max(found, default=None)

    @property
    def _first(self) -> Copies | None:
        located = [copies for copies in self.copies if copies.first_index is not None]
        return min(located, key=lambda c: c.first_index, default=next(iter(self.copies), None))


@dataclass(frozen=True, eq=False)
class ReplicaReport:
    """Whether copies agree, for every leaf of a tree.

    Attributes:
        name: what was checked, as it was written: ``"params"``.
        leaves: all of them, in the tree's order.
        seconds: how long the check took.
        nbytes: bytes hashed, over all processes.
        note: how the value was come by where it had to be computed; empty for a name.
        fixed: paths of the leaves that were made equal before this was looked at.
        left: those that differed and could not be, and why: ``"params['b']: deleted"``.
        why: why no number here may be trusted; empty when they may.
    """

    name: str
    leaves: tuple[Leaf, ...] = ()
    seconds: float = 0.0
    nbytes: int = 0
    note: str = ""
    fixed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    why: str = ""

    @property
    def agree(self) -> bool:
        """Whether nothing differs."""
        return not self.differing

    @property
    def differing(self) -> tuple[Leaf, ...]:
        """The leaves that differ, in the tree's order."""
        return tuple(leaf for leaf in self.leaves if not leaf.agree)
