"""How far the elements of two arrays are apart: the same numbers for reports, pictures, runs."""

from __future__ import annotations

import numpy as np


def differences(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Absolute differences, element by element.

    Zero where both are equal, infinities too, and where both are NaN; NaN where one alone is.

    Args:
        one: numbers of any kind, also bool and bfloat16.
        other: numbers of the same kind and shape.
    """
    if one.dtype.kind == "c":
        parts = differences(one.real, other.real), differences(one.imag, other.imag)
        with np.errstate(over="ignore"):
            return np.hypot(*parts)
    return _of_integers(one, other) if one.dtype.kind in "iu" else _of_floats(one, other)


def _of_integers(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    # As unsigned words the difference is right where the signed one would overflow.
    high, low = (pick(one, other).astype(np.uint64) for pick in (np.maximum, np.minimum))
    with np.errstate(over="ignore"):
        return (high - low).astype(float)


def _of_floats(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    # float64 holds every smaller type exactly, bfloat16 and its like too
    one, other = one.astype(float), other.astype(float)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(same, 0.0, np.abs(one - other))
