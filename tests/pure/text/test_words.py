import ml_dtypes
import numpy as np
import pytest

from labkit.facts import Array
from labkit.text.numbers import number, writer
from labkit.text.words import (
    device_names,
    place_words,
    process_names,
    short,
    size_text,
    slice_text,
    spec_text,
    type_text,
)
from tests.pure.pictures import GRID


class TestShort:
    def test_a_text_that_fits_stays(self):
        assert short("x" * 20, 20) == "x" * 20

    def test_the_middle_goes_and_is_counted(self):
        cut = short("a" * 50 + "b" * 50, 20)
        kept = cut.count("a") + cut.count("b")
        assert len(cut) <= 20
        assert cut.startswith("a")
        assert cut.endswith("b")
        assert int(cut.split("…")[1]) == 100 - kept


class TestSlices:
    @pytest.mark.parametrize(
        ("index", "shape", "words"),
        [
            (((0, 2),), (8,), "[0:2]"),
            (((0, 2), (0, 8)), (4, 8), "[0:2, :]"),
            (((0, 8),), (8,), "[:]"),
            ((), (), "scalar"),
        ],
    )
    def test_whole_dimensions_are_a_colon(self, index, shape, words):
        assert slice_text(index, shape) == words


class TestNames:
    def test_processes_are_counted_in_words(self):
        assert process_names([1]) == "process 1"
        assert process_names([3, 0, 2]) == "processes 0, 2, 3"

    def test_runs_of_devices_are_drawn_together(self):
        labels = ["p0·d0", "p0·d1", "p0·d2", "p1·d0", "p1·d1", "p2·d3"]
        assert device_names(labels) == "p0·d0-d2 p1·d0 p1·d1 p2·d3"

    def test_host_memory_is_no_run(self):
        assert device_names(["p0·host", "p1·host"]) == "p0·host p1·host"

    def test_a_device_of_another_backend_is_no_run(self):
        labels = ["p0·cpu0", "p0·cpu1", "p0·cpu2"]
        assert device_names(labels) == "p0·cpu0 p0·cpu1 p0·cpu2"

    def test_a_device_stands_where_row_major_order_puts_it(self):
        assert place_words(GRID, "p1·d2") == "data 1, model 2"


class TestTypes:
    def test_a_scalar_has_brackets_too(self):
        assert type_text(Array((4, 8), "int32")) == "int32[4,8]"
        assert type_text(Array((), "int32")) == "int32[]"

    def test_a_spec_is_written_as_in_a_program(self):
        assert spec_text(("data",)) == "P('data')"
        assert spec_text((None, ("x", "y"))) == "P(None, ('x', 'y'))"
        assert (spec_text(()), spec_text(None)) == ("P()", "")


class TestSizes:
    @pytest.mark.parametrize(
        ("size", "text"),
        [
            (5, "5 B"),
            (12, "12 B"),
            (1000, "1000 B"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (2048, "2 KiB"),
            (1000 << 10, "1000 KiB"),
            ((1 << 20) - 1, "1024 KiB"),
            (5 << 20, "5 MiB"),
            (10**8, "95.4 MiB"),
            (8 * 10**8, "763 MiB"),
            (3 << 42, "12288 GiB"),
        ],
    )
    def test_three_digits_and_never_a_power_of_ten(self, size, text):
        assert size_text(size) == text


class TestNumbers:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (np.bool_(True), "T"),
            (False, "F"),
            (np.int32(-12), "-12"),
            (np.int64(1234567890123), "1.235e12"),
            (np.float32(1 / 3), "0.3333"),
            (2.0, "2.0"),
            (-3e7, "-3e7"),
            (float("nan"), "nan"),
            (float("-inf"), "-inf"),
            (np.complex64(1 + 2j), "1.0+2.0j"),
            (np.complex64(1 - 0.5j), "1.0-0.5j"),
            (ml_dtypes.bfloat16(0.5), "0.5"),
        ],
    )
    def test_about_six_characters_each(self, value, text):
        assert number(value) == text

    def test_whole_numbers_are_exact_as_long_as_they_fit(self):
        assert number(12345678) == "12345678"

    def test_values_of_one_array_have_equally_many_decimals(self):
        values = np.array([0, 1 / 3, 2, 10.5], "float32")
        write = writer([values], "float32", 5)
        assert [write(v) for v in values] == ["0.000", "0.333", "2.000", "10.500"]

    def test_no_more_decimals_than_needed(self):
        values = np.array([0.5, 1.0], "float32")
        assert writer([values], "float32", 5)(values[1]) == "1.0"

    def test_what_is_not_zero_never_looks_like_zero(self):
        values = np.array([1000.5, 1e-6])
        write = writer([values], "float64", 5)
        assert float(write(values[1])) == 1e-6

    @pytest.mark.parametrize("dtype", ["float32", "float64", ml_dtypes.bfloat16, "float16"])
    def test_what_is_written_reads_back_as_the_value(self, dtype):
        values = np.linspace(-3, 3, 13).astype(dtype)
        write = writer([values], np.dtype(dtype).name, 5)
        read = np.array([float(write(value)) for value in values])
        np.testing.assert_allclose(read, values.astype("float64"), atol=5e-5)

    def test_a_key_is_the_words_of_its_data(self):
        assert writer([], "key<fry>", 7)(np.array([0, 42], "uint32")) == "0,42"
