"""Elements of copies, against plain Python on the same numbers."""

import ml_dtypes
import numpy as np
import pytest

from labkit.analysis.bitwise import Tally

NAN, OTHER_NAN = np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32)


def tally(*copies, start=0):
    found = Tally()
    found.add([np.asarray(copy) for copy in copies], start)
    return found


def floats(*numbers):
    return np.array(numbers, np.float32)


def test_equal_bits_are_no_difference_and_equal_nans_neither():
    assert tally(floats(1, NAN, -0.0), floats(1, NAN, -0.0)) == Tally()


def test_numbers_count_and_the_largest_difference_is_kept():
    found = tally(floats(1, 2, 3, 4), floats(1, 2.5, 3, 1), start=100)
    assert found == Tally(101, 2, 3.0)


def test_blocks_add_up():
    found = Tally()
    found.add([floats(0, 1), floats(0, 2)], 8)
    found.add([floats(5), floats(1)], 2)
    assert (found.first, found.count, found.max_abs_diff) == (2, 2, 4.0)


def test_a_nan_on_one_side_is_no_number_to_subtract():
    found = tally(floats(1, 2), floats(NAN, 4))
    assert (found.nan_one_sided, found.nan_payload, found.max_abs_diff) == (1, 0, 2.0)
    assert tally(floats(1), floats(NAN)).max_abs_diff == 0.0


def test_other_bits_of_a_nan_are_told_from_a_nan_on_one_side():
    found = tally(floats(NAN), floats(OTHER_NAN))
    assert (found.count, found.nan_payload, found.nan_one_sided) == (1, 1, 0)


def test_minus_zero_differs_by_nothing():
    found = tally(floats(0.0, 1), floats(-0.0, 1))
    assert (found.count, found.zeros, found.max_abs_diff) == (1, 1, 0.0)


def test_infinities():
    assert tally(floats(1), floats(np.inf)).max_abs_diff == np.inf
    assert tally(floats(np.inf, 1), floats(-np.inf, 1)).max_abs_diff == np.inf


def test_every_copy_is_held_to_the_first():
    found = tally(floats(1, 1, 1), floats(1, 2, 1), floats(1, 1, 5))
    assert (found.first, found.count, found.max_abs_diff) == (1, 2, 4.0)


@pytest.mark.parametrize(
    ("dtype", "one", "other", "largest"),
    [
        ("int8", -128, 127, 255.0),
        ("int64", -(2**63), 2**63 - 1, float(2**64 - 1)),
        ("uint64", 0, 2**64 - 1, float(2**64 - 1)),
        ("complex64", 1 + 1j, 4 + 5j, 5.0),
        ("float64", 1e308, -1e308, np.inf),
        (ml_dtypes.bfloat16, 1.0, 1.5, 0.5),
        (ml_dtypes.float8_e4m3fn, 1.0, 2.0, 1.0),
        (ml_dtypes.int4, -8, 7, 15.0),
        ("bool", False, True, None),
        ("datetime64[s]", 0, 1, None),
    ],
)
def test_every_kind_of_element(dtype, one, other, largest):
    pair = [np.array([value, value], dtype) for value in (one, other)]
    assert tally(*pair) == Tally(0, 2, largest)


def test_the_words_of_a_key_are_one_element():
    found = tally(np.zeros((3, 2), np.uint32), np.array([[0, 0], [1, 1], [0, 7]], np.uint32))
    assert (found.first, found.count, found.max_abs_diff) == (1, 2, None)
