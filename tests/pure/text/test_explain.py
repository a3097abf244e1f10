import re
from dataclasses import replace

import pytest

from labkit import draw
from labkit.analysis import outputs
from labkit.errors import ProcessError
from labkit.facts import Failure, Help, Output
from labkit.text import explain
from tests.pure.made import processes
from tests.source import ROOT

NOTEBOOKS = ROOT / "notebooks"
FAILURES, DEATHS = explain.table()["failure"], explain.table()["death"]
EVERY = [*FAILURES, *DEATHS]
HELP = Help("x is `1`.", "write `2`.", "01_local_and_global_meshes")


def name(entry: explain.Entry) -> str:
    return " ".join((entry.of, *entry.pieces, entry.frame))[:50]


def failure(type_: str, message: str = "", traceback: str = "") -> Failure:
    return Failure(type_, message, traceback=traceback)


def like(entry: explain.Entry) -> Failure:
    """An exception made of the pieces that the entry asks for, and of nothing else."""
    return failure(entry.of, " … ".join(entry.pieces), entry.frame)


@pytest.mark.parametrize("entry", EVERY, ids=name)
class TestEntry:
    def test_says_what_happened_and_what_to_write_in_one_line_each(self, entry):
        for line in (entry.help.what, entry.help.instead):
            assert line
            assert "\n" not in line
        assert max(map(len, entry.help.lines)) <= 180  # labels and lesson included

    def test_closes_every_piece_of_code(self, entry):
        for line in entry.help.lines:
            assert line.count("`") % 2 == 0

    def test_names_a_lesson_that_exists(self, entry):
        assert not entry.help.lesson or (NOTEBOOKS / f"{entry.help.lesson}.ipynb").exists()

    def test_asks_for_enough_to_be_sure(self, entry):
        assert len("".join((*entry.pieces, entry.frame))) >= 11
        assert all(entry.pieces)


@pytest.mark.parametrize("entry", FAILURES, ids=name)
def test_an_exception_fits_one_entry_alone(entry):
    assert [e for e in FAILURES if e.fits_failure(like(entry))] == [entry]
    assert explain.failure(like(entry)) == entry.help


@pytest.mark.parametrize("entry", DEATHS, ids=name)
def test_a_death_fits_one_entry_alone(entry):
    log = "E1130\n" + "\n".join(entry.pieces) + "\n"
    ended = entry.of or "killed by SIGSEGV"
    assert [e for e in DEATHS if e.fits_death(ended, log)] == [entry]
    assert explain.death(ended, log) == entry.help


@pytest.mark.parametrize("entry", FAILURES, ids=name)
def test_the_words_alone_are_not_enough(entry):
    assert explain.failure(replace(like(entry), type="LearnersError")) is None
    assert explain.failure(replace(like(entry), message="something else")) is None
    assert not entry.frame or explain.failure(replace(like(entry), traceback="")) is None


@pytest.mark.parametrize(
    "unknown",
    [
        failure("ZeroDivisionError", "division by zero"),
        failure("AssertionError", "", "assert x == y"),
        failure("ValueError", "cannot reshape array of size 8 into shape (3,3)", "in <module>"),
        failure("NameError", "name 'mesh' is not defined"),
        failure("JaxRuntimeError", "UNKNOWN: Gloo all-reduce failed"),
    ],
)
def test_of_an_exception_that_is_not_in_the_table_nothing_is_said(unknown):
    assert explain.failure(unknown) is None


@pytest.mark.parametrize("status", ["killed by SIGKILL", "killed by SIGABRT", "exit status 1"])
def test_of_a_death_that_left_no_words_nothing_is_said(status):
    assert explain.death(status, "") is None
    assert explain.death(status, "[Gloo] Rank 0 is connected to 1 peer ranks.\n") is None


def test_a_process_that_was_killed_is_not_said_to_have_ended_by_what_it_wrote():
    aborts = [entry for entry in DEATHS if entry.of]
    for entry in aborts:
        assert explain.death("killed by SIGKILL", "\n".join(entry.pieces)) is None


class TestShown:
    def errors(self, *messages: str, help_: Help | None = HELP) -> list[Output]:
        return [Output(p, error=Failure("E", m, help=help_)) for p, m in enumerate(messages)]

    def test_a_cells_output_has_it_from_the_table(self):
        entry = FAILURES[0]
        told = {"type": entry.of, "message": entry.pieces[0], "lines": (), "traceback": "..."}
        output = outputs.output(0, {"error": told, "displays": (), "result": {}}, "", "")
        assert output.error.help == entry.help

    def test_it_stands_under_the_error(self):
        [head, error, what, instead] = draw.columns(self.errors("m"), processes(2)).text.split("\n")
        assert (head, error) == ("process 0", "  E: m")
        assert what == "  What happened: x is `1`."
        assert instead == "  Instead: write `2`. (lesson 01_local_and_global_meshes)"

    def test_equal_errors_are_explained_once(self):
        text = draw.columns(self.errors("m", "m"), processes(2)).text
        assert text.count("What happened") == 1

    def test_errors_that_differ_in_their_values_are_explained_once(self):
        text = draw.columns(self.errors("got 0", "got 1"), processes(2)).text
        assert text.count("What happened") == 1
        assert text.endswith("process 1\n  E: got 1\n  Explained under process 0.")

    def test_nothing_stands_there_where_nothing_is_known(self):
        assert draw.columns(self.errors("m", help_=None), processes(2)).text == "process 0\n  E: m"

    def test_code_is_shown_as_code_and_nothing_as_html(self):
        hostile = Help("`<b>`", "<i>")
        html = draw.columns(self.errors("m", help_=hostile), processes(2)).html
        assert "<b>What happened:</b> <code>&lt;b&gt;</code>" in html
        assert "<b>Instead:</b> &lt;i&gt;" in html

    def test_an_error_in_a_script_ends_with_it_once(self):
        failures = {p: Failure("E", f"got {p}", help=HELP) for p in (0, 1)}
        assert str(ProcessError(failures)).splitlines() == [
            "process 0: E: got 0",
            "process 1: E: got 1",
            *(f"  {line}" for line in HELP.lines),
        ]


def test_the_table_is_in_words_of_this_lab():
    for entry in EVERY:
        text = f"{entry.help.what} {entry.help.instead}".lower()
        assert not re.search(r"\b(hosts?|ranks?|nodes?|engines?|tasks?|chips?)\b(?! it)", text)
