"""How long calls took: every expression in turn, round after round, in every process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TimedCall:
    """One of the calls that were compared.

    Attributes:
        expression: what was called, ``"over_all(g)"``.
        laps: process → seconds of each round, in order.
    """

    expression: str
    laps: Mapping[int, tuple[float, ...]]

    @property
    def rounds(self) -> tuple[float, ...]:
        """Seconds of each round, in the process that took longest."""
        return tuple(max(round_) for round_ in zip(*self.laps.values(), strict=True))

    @property
    def median(self) -> float:
        """Seconds: half of the rounds took less."""
        return float(np.median(self.rounds))

    @property
    def middle(self) -> tuple[float, float]:
        """From where to where the middle half of the rounds lies, in seconds."""
        low, high = np.percentile(self.rounds, (25, 75))
        return float(low), float(high)

    def apart(self, other: TimedCall) -> bool:
        """Whether the middle halves of the two do not overlap."""
        (low, high), (from_, to) = self.middle, other.middle
        return high < from_ or to < low


@dataclass(frozen=True)
class Timing:
    """Several ways to do something, compared.

    Attributes:
        ways: as given; the others are held against the first.
        why: why nothing here may be trusted; empty when all may.
    """

    ways: tuple[TimedCall, ...]
    why: str = ""
