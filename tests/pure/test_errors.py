import pytest

import labkit
from labkit.errors import NotArrived, ProcessError, ProcessLost
from labkit.facts import Failure

NAMES = ["LabError", "NotArrived", "ProcessError", "ProcessLost", "StartError", "Unsafe"]


def failure(message="division by zero", line=2):
    return Failure("ZeroDivisionError", message, (("cell 3", line, "    1 / zero"),), "...")


@pytest.mark.parametrize("name", NAMES)
def test_every_error_is_a_lab_error_and_has_a_top_level_name(name):
    assert name in labkit.__all__
    assert issubclass(getattr(labkit, name), labkit.LabError)


def test_a_notebook_shows_the_sentence_without_labkits_own_lines():
    error = labkit.Unsafe("no number may be trusted")
    assert error._render_traceback_() == ["Unsafe: no number may be trusted"]


def test_what_happened_in_each_process_can_be_asked():
    assert ProcessLost("gone", {1: "exit status 3"}).by_process == {1: "exit status 3"}
    assert NotArrived("late", {0: "waits"}).roll_call == {0: "waits"}
    assert ProcessError({1: failure()}).by_process[1].type == "ZeroDivisionError"


def test_an_exception_comes_with_its_process_and_the_learners_line():
    assert str(ProcessError({1: failure()})) == (
        "process 1: ZeroDivisionError: division by zero\n  cell 3, line 2: 1 / zero"
    )


def test_equal_exceptions_are_told_once_and_others_apart():
    error = ProcessError({2: failure(), 0: failure(), 1: failure("by one", line=5)})
    assert str(error).splitlines() == [
        "processes 0, 2: ZeroDivisionError: division by zero",
        "  cell 3, line 2: 1 / zero",
        "process 1: ZeroDivisionError: by one",
        "  cell 3, line 5: 1 / zero",
    ]


def test_an_exception_that_its_column_has_shown_is_only_pointed_to():
    error = ProcessError({0: failure(), 1: failure()})
    assert "cell 3, line 2" in error._render_traceback_()[0]
    error.shown = True
    assert error._render_traceback_() == [
        "ProcessError in processes 0, 1: shown above, in its column."
    ]
