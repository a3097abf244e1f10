"""Which devices that should hold the same bytes do hold the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labkit.facts.held import Slice


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
    """

    path: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    spec: tuple[object, ...] | None = None
    nbytes: int = 0
    copies: tuple[Copies, ...] = ()
    problem: str = ""
    checked: int = 0

    @property
    def agree(self) -> bool:
        """Whether nothing about it differs."""
        return not self.copies and not self.problem
