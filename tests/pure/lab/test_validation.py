import linecache

import numpy as np
import pytest

from labkit.errors import LabError
from labkit.lab import validation

LINE = 1


def two():
    return 1 + 1


def with_argument(x):
    return x


def closure():
    inside = LINE

    def uses():
        return inside

    return uses


class TestWholeNumbers:
    @pytest.mark.parametrize("value", [1, 2, 64])
    def test_from_1_on_are_taken(self, value):
        assert validation.whole("processes", value) == value

    @pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, True, "2", None, [2]])
    def test_everything_else_is_refused(self, value):
        with pytest.raises(LabError) as raised:
            validation.whole("devices", value)
        assert f"devices={value!r} was given" in str(raised.value)
        assert "whole number of at least 1" in str(raised.value)


class TestSeconds:
    @pytest.mark.parametrize("value", [1, 0.5, 25.0, float("inf")])
    def test_more_than_none_are_taken(self, value):
        assert validation.seconds(value) == value

    @pytest.mark.parametrize("value", [0, -1, True, "5", None, float("nan")])
    def test_everything_else_is_refused(self, value):
        with pytest.raises(LabError, match="expected seconds"):
            validation.seconds(value)


class TestExpressions:
    def test_text_that_has_a_value_is_taken_on_one_line(self):
        assert validation.expression(" f(x,\n  'a  b') ") == "f(x, 'a  b')"

    @pytest.mark.parametrize("value", ["", "f(x", "y = f(x)", "import os", "f(x); g(x)", None, 3])
    def test_everything_else_is_refused(self, value):
        with pytest.raises(LabError, match="expected an expression as text"):
            validation.expression(value)


class TestChosenProcesses:
    @pytest.mark.parametrize(
        ("on", "expected"),
        [
            (None, (0, 1, 2)),
            (0, (0,)),
            (2, (2,)),
            ("1", (1,)),
            ("2,0", (0, 2)),
            (" 0 , 1 ", (0, 1)),
            ([1, 0, 1], (0, 1)),
            (range(3), (0, 1, 2)),
            (np.int64(1), (1,)),
        ],
        ids=str,
    )
    def test_come_in_order_and_once(self, on, expected):
        assert validation.chosen(on, 3) == expected

    @pytest.mark.parametrize(
        "on", [3, -1, "3", "0,3", "", "all", [], [0, 3], 0.5, [0.5], "0.5", True, [True], ["x"]]
    )
    def test_that_are_not_there_are_refused_with_those_that_are(self, on):
        with pytest.raises(LabError) as raised:
            validation.chosen(on, 3)
        assert f"on={on!r} was given; this lab has processes 0, 1, 2." in str(raised.value)


class TestSource:
    def test_of_a_cell_is_its_text_without_the_indent_it_stands_in(self):
        assert validation.source_of("    x = 1\n    x\n") == "x = 1\nx\n"

    def test_may_hold_ipythons_own_commands(self):
        source = "%time x = 1\n!ls\nx?"
        assert validation.source_of(source) == source

    def test_of_a_function_ends_with_its_call(self):
        assert validation.source_of(two) == "def two():\n    return 1 + 1\n\ntwo()"

    def test_of_a_function_inside_another_stands_at_the_margin(self):
        def three():
            return 3

        assert validation.source_of(three).startswith("def three():\n    return 3")

    @pytest.mark.parametrize("function", [with_argument, closure(), lambda: 1])
    def test_of_a_function_that_needs_more_than_itself_is_refused(self, function):
        with pytest.raises(LabError, match="without arguments or outer variables"):
            validation.source_of(function)

    @pytest.mark.parametrize("of_command_line", [[], ["import sys\n"]])
    def test_that_cannot_be_found_is_refused(self, of_command_line, monkeypatch):
        monkeypatch.setitem(linecache.cache, "<string>", (1, None, of_command_line, "<string>"))
        names = {}
        exec("def made(): return 1", names)
        with pytest.raises(LabError, match="source of made is not to be found"):
            validation.source_of(names["made"])

    @pytest.mark.parametrize("code", [None, 3, b"x", two()])
    def test_of_something_else_is_refused(self, code):
        with pytest.raises(LabError, match=f"{type(code).__name__} was given; expected"):
            validation.source_of(code)

    def test_that_is_not_python_is_refused_with_its_line(self):
        with pytest.raises(LabError) as raised:
            validation.source_of("x = 1\ny = = 2\n")
        assert "was not sent" in str(raised.value)
        assert "in line 2:\n    y = = 2" in str(raised.value)
