"""Cells and the client, with processes that are made up."""

from types import SimpleNamespace

import pytest

from labkit import facts
from labkit.errors import Interrupted, LabError, NotArrived, ProcessError, ProcessLost
from labkit.facts import Output
from labkit.lab.cells import Cell, Cells, outputs_to
from labkit.lab.engine_client import EngineClient
from labkit.lab.state import LabState

FLIGHT = {"launches": [], "bars": [], "gaps": [], "capped": False, "yielded": False}
ERROR = {"type": "ValueError", "message": "no", "lines": (), "traceback": ""}


class Request:
    """An AsyncResult that is ready after so many looks."""

    stdout = stderr = ""
    data: dict = {}  # noqa: RUF012

    def __init__(self, answer: object = None, looks: int = 0) -> None:
        self.answer, self.looks = answer, looks

    def ready(self) -> bool:
        return self.looks <= 0

    def wait(self, seconds: float) -> None:
        self.looks -= 1

    def successful(self) -> bool:
        return True

    def get(self, seconds: float) -> object:
        return self.answer

    def wait_for_output(self, seconds: float) -> None:
        self.stdout = "printed\n"


class Made:
    """The cluster of a made-up lab of two processes: what it was sent, and what it answers."""

    processes = devices = 2

    def __init__(self) -> None:
        self.sent, self.ended, self.answers = [], {}, {}

    def gone(self) -> dict[int, str]:
        return self.ended

    def why_gone(self) -> None:
        return None

    def views(self) -> list[SimpleNamespace]:
        def send(process, call, module, function, *args):
            self.sent.append((process, module, function, args))
            return self.answers.get(function, lambda process: Request({}))(process)

        def view(process):
            return SimpleNamespace(apply_async=lambda *call: send(process, *call))

        return [view(0), view(1)]

    def functions(self) -> list[str]:
        return [function for _, _, function, _ in self.sent]


def told(**more) -> dict:
    nothing = {"value": None, "result": {}, "displays": [], "error": None}
    return {**nothing, "flight": FLIGHT, **more}


@pytest.fixture
def made():
    made = Made()
    made.answers["in_step"] = lambda process: Request({"got": [3], "expected": 3})
    made.answers["run"] = lambda process: Request(told(value=("is", process)), looks=3)
    return made


@pytest.fixture
def state(made):
    state = LabState(made.gone)
    state.become("ready")
    return state


@pytest.fixture
def client(made, state):
    return EngineClient(made, state)


@pytest.fixture
def cells(client, state):
    return Cells(client, state)


def cell(look=lambda wait: None, **more) -> Cell:
    return Cell(**{"source": "f(x)", "chosen": (0, 1), "deadline": 25, "look": look, **more})


class Wait:
    """It counts what is made of it."""

    def __init__(self) -> None:
        self.made = []

    def roll_call(self) -> facts.RollCall:
        self.made.append("roll call")
        return facts.RollCall((facts.ProcessStatus(0, "running", 4, "f(x)"),))

    def outputs(self, roll: facts.RollCall) -> tuple[Output, ...]:
        self.made.append("outputs")
        return (Output(0, status=roll[0].words),)


class TestProgress:
    def test_that_nobody_asked_for_makes_no_outputs(self):
        wait = Wait()
        outputs_to(None)(wait)
        assert wait.made == []

    def test_is_the_outputs_so_far_with_what_each_process_does(self):
        wait, seen = Wait(), []
        outputs_to(seen.append)(wait)
        ((output,),) = seen
        assert (output.process, output.status) == (0, "runs in line 4: f(x)")
        assert wait.made == ["roll call", "outputs"]

    def test_is_made_no_more_often_than_it_can_be_read(self, monkeypatch):
        wait, clock = Wait(), iter([7.0, 7.0, 7.05, 7.11, 7.11])
        monkeypatch.setattr("labkit.lab.cells.time.monotonic", lambda: next(clock))
        look = outputs_to(lambda outputs: None)
        made = []
        for _ in range(3):
            look(wait)
            made.append(wait.made.count("outputs"))
        assert made == [1, 1, 2]


class TestACell:
    def test_that_ends_gives_values_and_outputs_and_leaves_the_lab_ready(self, cells, state):
        done = cells.run(cell())
        assert (dict(done), done.why, done.recording) == ({0: 0, 1: 1}, "", None)
        assert [output.text for output in done.outputs] == ["printed\n", "printed\n"]
        assert state.word == "ready"

    def test_is_looked_at_with_what_waits_for_it(self, cells, client, state):
        seen = []
        cells.run(cell(lambda wait: seen.append((wait, state.word, sorted(client.unanswered())))))
        assert len(seen) >= 3
        assert {wait.what for wait, *_ in seen} == {"cell 1"}
        assert [(word, there) for _, word, there in seen[:1]] == [("running", [0, 1])]
        assert client.unanswered() == {}

    def test_is_waiting_while_one_process_has_ended_it_and_not_after(self, cells, made, state):
        made.answers["run"] = lambda process: Request(told(), looks=3 * process)
        words = []
        cells.run(cell(lambda wait: words.append(state.word)))
        assert set(words) == {"waiting"}
        assert (state.word, state.waiting) == ("ready", False)

    def test_that_raised_gives_its_error_with_the_outputs(self, cells, made, state):
        made.answers["run"] = lambda process: Request(told(error=ERROR if process else None))
        with pytest.raises(ProcessError) as raised:
            cells.run(cell())
        assert list(raised.value.by_process) == [1]
        assert [output.error is None for output in raised.value.outputs] == [True, False]
        assert state.word == "ready"

    def test_that_was_interrupted_says_what_each_process_gave(self, cells, client, made, state):
        made.answers["run"] = lambda process: Request(told(), looks=1 if process == 0 else 10**9)
        with pytest.raises(Interrupted, match="cell 1 was interrupted") as raised:
            cells.run(cell(lambda wait: wait.waiting and client.interrupt.set()))
        assert [(o.text, o.status) for o in raised.value.outputs] == [
            ("printed\n", ""),
            ("", "runs"),
        ]
        assert (state.word, state.waiting) == ("unsafe", False)
        assert list(client.unanswered()) == [1]

    def test_whose_process_died_says_so_in_its_outputs(self, cells, made, state):
        made.answers["run"] = lambda process: Request(told(), looks=10**9)

        def dies(wait):
            made.ended[1] = "killed by SIGKILL"

        with pytest.raises(ProcessLost) as raised:
            cells.run(cell(dies))
        assert raised.value.outputs[1].status == "is gone (killed by SIGKILL)"
        assert (state.word, state.waiting) == ("lost", False)

    def test_that_nobody_came_to_in_time_says_where_all_are(self, cells, made):
        made.answers["run"] = lambda process: Request(told(), looks=10**9 * process)
        with pytest.raises(NotArrived) as raised:
            cells.run(cell(deadline=0))
        assert [output.status for output in raised.value.outputs] == ["", "runs"]

    def test_that_is_recorded_is_sent_to_be_recorded(self, cells, made):
        made.answers["record"] = lambda process: Request(told(error=ERROR))
        with pytest.raises(ProcessError):
            cells.record(cell(), "f(x)", ())
        assert made.sent[0] == (0, "cells.run", "record", (1, "cell 1", "f(x)", None))


class TestACellForSomeProcesses:
    @pytest.fixture(autouse=True)
    def _needs_all(self, made, monkeypatch):
        def refuse(found, chosen):
            raise LabError("it needs the others")

        monkeypatch.setattr("labkit.lab.cells.validation.complete", refuse)

    def test_is_refused_before_it_runs_where_it_needs_the_others(self, cells, made):
        with pytest.raises(LabError, match="it needs the others") as raised:
            cells.run(cell(chosen=(0,)))
        assert made.functions() == ["collectives"]
        assert raised.value.outputs == ()

    @pytest.mark.parametrize("more", [{"anyway": True}, {"namespace": "mesh explorer 1"}])
    def test_is_not_checked_where_the_learner_says_so_or_it_is_not_theirs(self, cells, made, more):
        cells.run(cell(chosen=(0,), **more))
        assert "collectives" not in made.functions()
        assert "run" in made.functions()

    def test_is_not_checked_either_where_it_runs_in_all(self, cells, made):
        cells.run(cell())
        assert "collectives" not in made.functions()
