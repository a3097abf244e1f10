import threading

import pytest

from labkit.errors import NotArrived, ProcessLost
from labkit.lab import watchdog

NEVER = float("inf")


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    time = monotonic

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(watchdog, "time", clock)
    monkeypatch.setattr("labkit.lab.roll_call.time", clock)
    return clock


class Request:
    """An AsyncResult that answers at its time; `places`: what it says from which time on."""

    stdout, stderr = "", ""

    def __init__(self, clock: Clock, answers: float, places=()) -> None:
        self.clock, self.answers, self.places = clock, answers, dict(places)

    def ready(self) -> bool:
        return self.clock.now >= self.answers

    def wait(self, seconds: float) -> None:
        self.clock.sleep(seconds)

    def successful(self) -> bool:
        return True

    def get(self, seconds: float) -> dict:
        return {"error": None}

    @property
    def data(self) -> dict:
        told = [place for since, place in self.places.items() if self.clock.now >= since]
        return {"where": {"told": self.clock.now, **told[-1]}} if told else {}


def place(waiting, line=0, text="", phase="running", since=0.0, program="") -> dict:
    place = {"waiting": waiting, "line": line, "text": text, "phase": phase}
    return {**place, "since": since, "program": program}


def in_psum(line: int = 2) -> dict:
    return place(True, line, "y = total(x)")


@pytest.fixture
def wait(clock):
    def make(*requests, deadline=25, gone=dict, interrupt=None, what="the cell", **more):
        requests = [r if isinstance(r, Request) else Request(clock, r) for r in requests]
        interrupt = interrupt or threading.Event()
        requests = dict(enumerate(requests))
        return watchdog.Wait(requests, gone, len(requests), deadline, interrupt, what, **more)

    return make


def test_it_ends_when_the_last_has_answered(clock, wait):
    wait(1, 7, 3).run()
    assert clock.now == pytest.approx(7, abs=0.1)


def test_it_ends_at_once_when_all_have_answered_before(clock, wait):
    wait(0, 0).run()
    assert clock.now == 0


def test_there_is_no_deadline_while_all_are_busy(clock, wait):
    wait(Request(clock, 300), Request(clock, 300, {0: place(False, 3, "loop()")})).run()
    assert clock.now == pytest.approx(300, abs=0.1)


def test_the_deadline_counts_from_when_somebody_has_ended_the_cell(clock, wait):
    with pytest.raises(NotArrived):
        wait(10, NEVER, deadline=25).run()
    assert clock.now == pytest.approx(35, abs=0.1)


def test_the_deadline_counts_from_when_somebody_stands_in_a_collective(clock, wait):
    with pytest.raises(NotArrived):
        wait(Request(clock, NEVER, {10: in_psum()}), NEVER, deadline=25).run()
    assert clock.now == pytest.approx(35, abs=0.1)


def test_who_has_not_said_so_for_long_does_not_count_as_waiting(clock, wait):
    wait(Request(clock, 60, {10: in_psum() | {"told": 10}}), 60, deadline=25).run()
    assert clock.now == pytest.approx(60, abs=0.1)


def test_the_count_begins_again_when_somebody_waits_again(clock, wait):
    places = {0: in_psum(), 20: place(False, 3, "loop()"), 40: in_psum()}
    with pytest.raises(NotArrived):
        wait(Request(clock, NEVER, places), NEVER, deadline=25).run()
    assert clock.now == pytest.approx(65, abs=0.1)


def test_who_arrives_in_time_is_not_missed(clock, wait):
    wait(Request(clock, 30, {10: in_psum()}), 30, deadline=25).run()
    assert clock.now == pytest.approx(30, abs=0.1)


def test_a_process_that_was_asked_alone_may_be_busy(clock, wait):
    wait(300).run()
    assert clock.now == pytest.approx(300, abs=0.1)


def test_a_short_question_has_a_deadline_also_when_no_process_answers(clock, wait):
    with pytest.raises(NotArrived):
        wait(NEVER, NEVER, deadline=10, short=True).run()
    assert clock.now == pytest.approx(10, abs=0.1)


def test_waiting_says_whether_somebody_waits_now(clock, wait):
    seen = {}
    places = {5: in_psum(), 8: place(False, 3, "loop()")}
    wait(Request(clock, 12, places), 10).run(
        lambda wait: seen.setdefault(int(clock.now), wait.waiting)
    )
    assert seen == {n: n in (5, 6, 7, 10, 11) for n in range(12)}


def test_an_answer_that_comes_during_the_report_ends_the_wait(clock, wait):
    wait(1).run(lambda wait: clock.sleep(5))
    assert clock.now <= 10.1


def test_the_message_names_each_process_with_its_line_and_text(clock, wait):
    requests = [
        Request(clock, NEVER, {0: in_psum(line=4)}),
        Request(clock, NEVER, {0: place(False, 7, "count(rows)")}),
        Request(clock, NEVER, {0: place(True, 9, "z", "finishing")}),
        Request(clock, NEVER),
        Request(clock, 1),
    ]
    with pytest.raises(NotArrived) as raised:
        wait(*requests, deadline=2.5, what="cell 3").run()
    assert [row.words for row in raised.value.roll_call] == [
        "waits in line 4 (3 s): y = total(x)",
        "runs in line 7: count(rows)",
        "is at the end of its cell and waits for work it started in line 9 (3 s): z",
        "runs",
        "has ended its cell",
    ]
    first, *rows, last = str(raised.value).splitlines()
    assert first == "Not every process arrived in cell 3; somebody waited 2.5 s."
    assert rows == [f"  process {row.process} {row.words}" for row in raised.value.roll_call]
    assert "lab.reset()" in last


def test_the_count_begins_again_when_who_waits_has_moved_on(clock, wait):
    places = {second: place(True, 2, "y = total(x)", since=second) for second in (0, 10, 20)}
    with pytest.raises(NotArrived):
        wait(Request(clock, NEVER, places), NEVER, deadline=25).run()
    assert clock.now == pytest.approx(45, abs=0.1)


def test_the_learner_can_end_it_from_another_thread(clock, wait):
    interrupt = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        wait(NEVER, interrupt=interrupt).run(lambda wait: clock.now > 3 and interrupt.set())
    assert clock.now == pytest.approx(3, abs=0.1)


def test_a_process_that_is_gone_ends_it(clock, wait):
    with pytest.raises(ProcessLost) as raised:
        wait(NEVER, 1, gone=lambda: {0: "exit status 3"} if clock.now > 4 else {}).run()
    assert clock.now < 5
    assert raised.value.by_process == {0: "exit status 3"}
    assert "process 0 is gone (exit status 3), during the cell" in str(raised.value)
    assert "lab.log(0)" in str(raised.value)


def test_processes_that_one_death_took_with_it_are_named_together(clock, wait):
    dies = {0: (4.0, "killed by SIGKILL"), 2: (4.2, "killed by SIGABRT")}

    def gone():
        return {p: how for p, (at, how) in dies.items() if clock.now >= at}

    with pytest.raises(ProcessLost) as raised:
        wait(NEVER, NEVER, NEVER, gone=gone).run()
    assert raised.value.by_process == {0: "killed by SIGKILL", 2: "killed by SIGABRT"}
