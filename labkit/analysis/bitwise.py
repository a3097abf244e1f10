"""Elements of several copies, compared: bits first, then what they mean as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labkit.facts.differences import differences


@dataclass
class Tally:
    """What was found so far in the copies of one slice; the first copy is what others are held to.

    Attributes:
        first: position of the first element that differs, None for none.
        count: elements whose bits differ in any copy.
        max_abs_diff: largest absolute difference of numbers that are no NaN; None if not numbers.
        nan_one_sided: elements that are NaN in one copy and none in another.
        nan_payload: elements that are NaN in both, with other bits.
        zeros: elements that are 0.0 in one copy and -0.0 in another.
    """

    first: int | None = None
    count: int = 0
    max_abs_diff: float | None = None
    nan_one_sided: int = 0
    nan_payload: int = 0
    zeros: int = 0

    def add(self, copies: Sequence[np.ndarray], start: int = 0) -> None:
        """Count a block of elements in.

        Args:
            copies: the same elements of each copy: flat, or a row of words each.
            start: position of the first of them.
        """
        head, *others = copies
        unlike = np.any([_unlike(head, other) for other in others], axis=0)
        places = np.flatnonzero(unlike)
        if not len(places):
            return
        first = start + int(places[0])
        self.first = first if self.first is None else min(self.first, first)
        self.count += len(places)
        if head.ndim == 1:
            self._as_numbers([_numbers(copy[places]) for copy in copies])

    def _as_numbers(self, copies: Sequence[np.ndarray | None]) -> None:
        head, *others = copies
        if head is None:
            return
        nan = np.isnan(copies)
        self.nan_one_sided += int(np.sum(nan.any(axis=0) & ~nan.all(axis=0)))
        self.nan_payload += int(np.sum(nan.all(axis=0)))
        self.zeros += int(np.sum(np.all([copy == 0 for copy in copies], axis=0)))
        largest = max(_largest(head, other) for other in others)
        self.max_abs_diff = max(self.max_abs_diff or 0.0, largest)


def _unlike(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which elements have other bits."""
    return np.any(_words(one) != _words(other), axis=1)


def _words(data: np.ndarray) -> np.ndarray:
    """One row of unsigned words an element."""
    word = f"u{min(data.dtype.itemsize, 8)}"
    return np.ascontiguousarray(data).reshape(len(data), -1).view(word)


def _numbers(data: np.ndarray) -> np.ndarray | None:
    """The elements as numpy can count with them: None for what is not a number."""
    if data.dtype.kind in "iufc":
        return data
    # bfloat16 and its like; every one of them is exact in float32
    return data.astype(np.float32) if data.dtype.kind == "V" else None


def _largest(one: np.ndarray, other: np.ndarray) -> float:
    """The largest absolute difference of those that are no NaN."""
    found = differences(one, other)
    return float(np.max(found[~np.isnan(found)], initial=0))
