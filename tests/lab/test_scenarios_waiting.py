"""Somebody waits for somebody who does not come, or comes late."""

import threading
import time

import pytest

import labkit
from tests.lab import scenario

SOON = 1.5  # seconds of deadline
NOT_ARRIVED = "not every process arrived in cell"


@pytest.fixture(scope="module")
def lab():
    return scenario.started()


@pytest.fixture(autouse=True)
def _repaired(lab, first_names):
    yield from scenario.repaired(lab, first_names)


def hangs(lab, source, deadline=SOON) -> labkit.NotArrived:
    """The error of a cell that hangs; the lab is unsafe after it."""
    with pytest.raises(labkit.NotArrived) as raised:
        lab.run(source, deadline=deadline)
    scenario.is_unsafe(lab, why=f"{NOT_ARRIVED} {cell(lab)}.")
    return raised.value


def cell(lab) -> int:
    return lab._cells._learners


def states(error: labkit.NotArrived) -> list[str]:
    return [row.state for row in error.roll_call]


def test_one_process_alone_calls_a_psum(lab):
    error = hangs(lab, "if me == 0:\n    total(x).block_until_ready()")
    assert scenario.message(error) == (
        f"Not every process arrived in cell {cell(lab)}; somebody waited N s.\n"
        "  process 0 waits in line 2 (N s): total(x).block_until_ready() [jit__lambda]\n"
        "  process 1 has ended its cell\n"
        "Process 1 never came to what process 0 waits for in line 2. "
        "lab.reset() makes the lab ready again."
    )
    assert [row.words for row in lab.roll_call()] == [row.words for row in error.roll_call]


def test_one_process_alone_calls_a_psum_on_devices_that_never_met(lab):
    error = hangs(
        lab,
        'pair = Mesh([jax.devices()[0], jax.devices()[4]], ("i",))\n'
        'two = jax.make_array_from_process_local_data(NamedSharding(pair, P("i")), np.ones(1))\n'
        'both = over(lambda v: jax.lax.psum(v, "i"), pair)\n'
        "if me == 1:\n    both(two).block_until_ready()",
    )
    assert states(error) == ["ended", "waiting"]
    assert error.roll_call.cause == ("Process 0 never came to what process 1 waits for in line 5.")


@pytest.mark.parametrize("call", ["total(x)", "kept.step(x)"])
def test_with_one_device_each_the_call_itself_waits(lab, call):
    try:
        lab.reset(devices=1)
        lab.run("class kept: step = total\nread(total(x))")  # its second call has no frame of JAX's
        error = hangs(lab, f"if me == 0:\n    y = {call}\nelse:\n    while True: pass")
        assert states(error) == ["waiting", "running"]
        assert scenario.message(error.roll_call[0].words) == f"waits in line 2 (N s): y = {call}"
    finally:
        lab.reset(devices=4)


@pytest.mark.parametrize("process", [0, 1])
def test_one_process_dispatches_and_does_not_wait(lab, process):
    error = hangs(lab, f"if me == {process}:\n    y = total(x)")
    waiting, ended = error.roll_call[process], error.roll_call[1 - process]
    assert (waiting.state, ended.state) == ("finishing", "ended")
    assert waiting.words.startswith("is at the end of its cell and waits for work it started")
    assert waiting.program == "jit__lambda"


def test_a_collective_whose_result_was_dropped_is_marked(lab):
    done = lab.run("if me == 0:\n    total(x)\n3", deadline=SOON)
    assert not done.trusted
    assert done.why == (
        "the processes launched different programs: process 0 jit__lambda in line 2: total(x); "
        "process 1 had no more to launch."
    )
    scenario.is_unsafe(lab, why=done.why)


def test_an_exception_in_one_process_before_the_collective(lab):
    error = hangs(lab, "if me == 1:\n    raise ValueError('too early')\nread(total(x))")
    assert scenario.message(error) == (
        f"Not every process arrived in cell {cell(lab)}; somebody waited N s.\n"
        "  process 0 waits in line 3 (N s): read(total(x)) [jit__lambda]\n"
        "  process 1 ended its cell with ValueError\n"
        "Process 1 ended with ValueError and will not come in line 3. "
        "lab.reset() makes the lab ready again."
    )
    failure = error.outputs[1].error
    assert (failure.type, failure.message) == ("ValueError", "too early")
    assert [line[1:] for line in failure.lines] == [(2, "raise ValueError('too early')")]


def test_an_endless_loop_in_one_process_is_ended_by_the_deadline_and_freed_by_a_reset(lab):
    pids = [process.pid for process in lab.processes]
    error = hangs(lab, "if me == 1:\n    while True:\n        pass\nread(total(x))")
    assert states(error) == ["waiting", "running"]
    assert error.roll_call[1].line in (2, 3)
    assert error.roll_call.cause.startswith("Process 1 is still in line ")
    assert error.roll_call.cause.endswith(", process 0 waits for it in line 4.")
    lab.reset()
    assert [process.pid for process in lab.processes] == pids


def test_an_endless_loop_in_all_processes_has_no_deadline_but_can_be_interrupted(lab):
    threading.Timer(3, lab.interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        lab.run("while True: pass", deadline=0.5)
    scenario.is_unsafe(lab, why=f"cell {cell(lab)} was interrupted, a collective may be in flight.")


class TestAnInterrupt:
    HANGS = "if me == 0:\n    y = total(x)\n    y.block_until_ready()"

    def interrupted(self, lab, interrupt) -> float:
        """Seconds from the interrupt to the end of the wait."""
        at = []

        def soon():
            while lab.state != "waiting":
                time.sleep(0.02)
            at.append(time.monotonic())
            interrupt()

        threading.Thread(target=soon).start()
        with pytest.raises(KeyboardInterrupt, match=r"was interrupted\. lab\.reset\(\)"):
            lab.run(self.HANGS)
        return time.monotonic() - at[0]

    def test_from_another_thread_ends_the_wait_at_once(self, lab):
        assert self.interrupted(lab, lab.interrupt) < 2  # half a second on a free machine
        why = f"cell {cell(lab)} was interrupted, a collective may be in flight."
        scenario.is_unsafe(lab, why=why)

    def test_by_ctrl_c_in_a_script_ends_the_wait_at_once(self, lab):
        main = threading.main_thread().ident

        def ctrl_c():
            import signal

            signal.pthread_kill(main, signal.SIGINT)

        assert self.interrupted(lab, ctrl_c) < 2
        assert lab.state == "unsafe"

    def test_lets_no_later_cell_give_a_number_without_a_mark(self, lab, monkeypatch):
        self.interrupted(lab, lab.interrupt)
        for _ in range(2):
            with pytest.raises(labkit.Unsafe):
                lab.run("read(total(x))")
        monkeypatch.setattr("labkit.lab.engine_client._SHORT", 1)
        with pytest.raises(labkit.NotArrived):  # process 0 hangs: it cannot even be asked
            lab.values("x", untrusted=True)

    def test_between_the_end_of_a_cell_and_its_check_leaves_no_unmarked_number(
        self, lab, monkeypatch
    ):
        def stop(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("labkit.lab.cells.flight_recorder.flight", stop)
        with pytest.raises(KeyboardInterrupt):
            lab.run("if me == 0:\n    total(x)\nz = 3")
        monkeypatch.undo()
        scenario.is_unsafe(lab, why=f"nobody checked the processes after cell {cell(lab)}.")
