"""What ``%%spmd`` shows while a cell runs and when it has ended, with a lab that is made up."""

from types import SimpleNamespace

import pytest

from labkit import facts
from labkit.facts import Output, ProcessStatus
from labkit.lab import magic
from labkit.text.roll_call import cause
from tests.pure.made import processes

WAITS = ProcessStatus(0, "waiting", 4, "y = f(x)", "jit_f", 2.5)
JUST = ProcessStatus(0, "waiting", 4, "y = f(x)", "", 1.0)
RUNS = ProcessStatus(1, "running", 2, "time.sleep(9)")
WAITING = (Output(0, status="waits in line 4: y = f(x)"), Output(1, status="runs in line 2"))


class MadeLab:
    """A lab whose processes stand in these rows, and what waits for a cell in it."""

    def __init__(self, *rows: ProcessStatus) -> None:
        self.processes, self.state, self.rows = processes(2), "running", rows
        self.calls = 0  # of the roll

    def roll_call(self) -> facts.RollCall:
        self.calls += 1
        return facts.RollCall(self.rows, cause(self.rows), "cell 1")

    def wait(self, *outputs: Output) -> SimpleNamespace:
        return SimpleNamespace(roll_call=self.roll_call, outputs=lambda roll: outputs)


@pytest.fixture
def shown(monkeypatch):
    """The pictures that one output held, in order; an empty text where it was cleared."""
    seen = []

    def update(picture, raw=False):
        seen.append(picture["text/plain"] if raw else picture.text)

    def display(picture, display_id):
        update(picture)
        return SimpleNamespace(update=update)

    monkeypatch.setattr(magic, "display", display)
    monkeypatch.setattr(magic, "in_notebook", lambda: True)
    monkeypatch.setattr(magic, "_LIVE_AFTER", 0.0)
    monkeypatch.setattr(magic, "_LIVE_EVERY", 0.0)
    return seen


def test_a_cell_that_waits_for_two_seconds_shows_its_roll_call(shown):
    lab = MadeLab(JUST, RUNS)
    live = magic._Live(lab)
    live(lab.wait(*WAITING))
    lab.rows = (WAITS, RUNS)
    live(lab.wait(*WAITING))
    before, after = shown
    assert "Process 1 is still in line 2" not in before
    assert after.startswith("cell 1\nProcess 1 is still in line 2, process 0 waits for it in line")


def test_it_goes_when_the_cell_ends_well(shown):
    lab = MadeLab(WAITS, RUNS)
    live = magic._Live(lab)
    live(lab.wait(*WAITING))
    live.end((Output(0, "done"), Output(1, "done")), "")
    assert shown[-1] == "all 2 processes\n  done"


def test_nothing_is_left_where_the_cell_gave_nothing(shown):
    lab = MadeLab(WAITS, RUNS)
    live = magic._Live(lab)
    live(lab.wait(*WAITING))
    live.end((Output(0), Output(1)), "")
    assert shown[-1] == ""


def test_it_stays_when_the_cell_does_not_end(shown):
    live = magic._Live(MadeLab(WAITS, ProcessStatus(1, "ended")))
    live.end(WAITING, "not every process arrived in cell 1.", failed=True)
    (text,) = shown
    assert "Process 1 never came to what process 0 waits for in line 4." in text
    assert "not to be trusted: not every process arrived in cell 1." in text


def test_under_it_stands_what_was_printed_and_no_state_twice(shown):
    lab = MadeLab(WAITS, RUNS)
    live = magic._Live(lab)
    live(lab.wait(Output(0, "before", status="waits in line 4"), WAITING[1]))
    (text,) = shown
    assert text.endswith("process 0\n  before")
    assert text.count("in line 4") == 2  # the cause and the row


def test_a_cell_in_which_all_are_busy_shows_none(shown):
    lab = MadeLab(ProcessStatus(0, "running", 2, "time.sleep(60)"), RUNS)
    live = magic._Live(lab)
    live(lab.wait(Output(0, status="runs in line 2"), WAITING[1]))
    live.end((Output(0), Output(1)), "", failed=True)
    assert not any("cell 1" in text for text in shown)


def test_a_script_shows_nothing_while_it_runs(shown, monkeypatch):
    monkeypatch.setattr(magic, "in_notebook", lambda: False)
    lab = MadeLab(WAITS, RUNS)
    magic._Live(lab)(lab.wait(*WAITING))
    assert (shown, lab.calls) == ([], 0)


def test_the_roll_is_called_once_for_each_look_that_shows_and_outputs_are_worded_by_it(shown):
    lab, given = MadeLab(WAITS, RUNS), []
    wait = SimpleNamespace(
        roll_call=lab.roll_call, outputs=lambda roll: given.append(roll) or WAITING
    )
    live = magic._Live(lab)
    for looks in (1, 2):
        live(wait)
        assert (len(shown), lab.calls, len(given)) == (looks, looks, looks)
    assert {roll.cell for roll in given} == {"cell 1"}


def test_a_look_too_early_to_show_makes_nothing(shown, monkeypatch):
    monkeypatch.setattr(magic, "_LIVE_EVERY", 60.0)
    lab = MadeLab(WAITS, RUNS)
    live = magic._Live(lab)
    for _ in range(9):
        live(lab.wait(*WAITING))
    assert (len(shown), lab.calls) == (1, 1)


def test_a_lab_that_was_stopped_is_not_asked(shown):
    lab = MadeLab(WAITS, RUNS)
    lab.state, lab.roll_call = "stopped", None
    magic._Live(lab).end((), "", failed=True)
    assert shown == []
