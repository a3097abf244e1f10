"""Differences of elements, against plain Python on the same numbers."""

import math
from itertools import product

import ml_dtypes
import numpy as np
import pytest

from labkit.facts.differences import differences

INF, NAN = math.inf, math.nan
FLOATS = (0.0, -0.0, 1.0, -2.5, INF, -INF, NAN)


def expected(one, other) -> float:
    if one == other or (one != one and other != other):
        return 0.0
    return abs(float(one) - float(other))


def same(found: float, wanted: float) -> bool:
    return found == wanted or (math.isnan(found) and math.isnan(wanted))


def single(one, other, dtype) -> float:
    """The difference of two elements, as a row and as a scalar: they are one number."""
    row = differences(np.array([one, one], dtype), np.array([other, other], dtype))
    alone = differences(np.array(one, dtype), np.array(other, dtype))
    assert row.dtype == float
    assert same(float(row[0]), float(alone))
    return float(alone)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ml_dtypes.bfloat16])
def test_floats_with_nan_and_infinities(dtype):
    for one, other in product(FLOATS, FLOATS):
        assert same(single(one, other, dtype), expected(one, other)), (one, other)


@pytest.mark.parametrize(
    ("dtype", "numbers"),
    [
        ("bool", (False, True)),
        ("int8", (-128, -1, 0, 127)),
        ("uint8", (0, 1, 255)),
        ("int64", (-(2**63), -1, 2**53 + 1, 2**63 - 1)),
        ("uint64", (0, 1, 2**53 + 1, 2**64 - 1)),
        (ml_dtypes.int4, (-8, 0, 7)),
    ],
)
def test_whole_numbers_do_not_wrap_around_and_are_exact(dtype, numbers):
    for one, other in product(numbers, numbers):
        assert single(one, other, dtype) == float(abs(int(one) - int(other))), (one, other)


def test_an_overflow_is_infinite_and_warns_of_nothing(recwarn):
    assert single(1e308, -1e308, "float64") == INF
    assert single(1.7e308 + 1.7e308j, 0, "complex128") == INF
    assert single(INF, INF, "float32") == single(-INF, -INF, "complex64") == 0
    assert single(-128, 127, "int8") == 255
    assert not list(recwarn)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (1 + 1j, 4 + 5j, 5.0),
        (complex(INF, 1), complex(INF, 3), 2.0),
        (complex(INF, 1), complex(-INF, 1), INF),
        (complex(NAN, 1), complex(NAN, 1), 0.0),
        (complex(NAN, 1), complex(NAN, 4), 3.0),
        (complex(NAN, 1), complex(0, 1), NAN),
    ],
)
def test_complex_numbers_are_compared_part_by_part(one, other, apart):
    for dtype in ("complex64", "complex128"):
        assert same(single(one, other, dtype), apart)


def test_no_elements_have_no_difference():
    assert differences(np.zeros((0, 2), "int32"), np.zeros((0, 2), "int32")).shape == (0, 2)
