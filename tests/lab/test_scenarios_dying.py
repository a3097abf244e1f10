"""Processes that end: by themselves, by their limits, by a signal, idle and while others wait."""

import os
import signal
import time

import psutil
import pytest

import labkit
from tests.alive import alive, until
from tests.lab import scenario


@pytest.fixture(scope="module")
def lab():
    return scenario.started()


@pytest.fixture(autouse=True)
def _repaired(lab, first_names):
    yield from scenario.repaired(lab, first_names)


def pid(lab, process) -> int:
    return lab.processes[process].pid


class TestKilled:
    """Process 0 hosts the coordinator of the group."""

    @pytest.mark.parametrize("process", [0, 1])
    def test_while_nothing_runs(self, lab, process):
        os.kill(pid(lab, process), signal.SIGKILL)
        assert until(lambda: lab.state == "lost", 10)
        assert f"process {process} is gone (killed by SIGKILL)" in lab.why
        scenario.is_lost(lab, why=lab.why)

    @pytest.mark.parametrize("process", [0, 1])
    def test_while_the_other_waits_for_it(self, lab, process):
        lab.run("import os, signal")
        began = time.monotonic()
        with pytest.raises(labkit.ProcessLost) as raised:
            lab.run(f"if me == {process}: os.kill(os.getpid(), signal.SIGKILL)\nread(total(x))")
        assert time.monotonic() - began < 10
        assert raised.value.by_process[process] == "killed by SIGKILL"
        scenario.is_lost(lab, why=lab.why)
        said = str(raised.value)
        assert f"process {process} is gone (killed by SIGKILL)" in said
        assert ", during cell " in said
        assert "lab.reset() makes the lab ready again; lab.log(" in said
        assert raised.value.outputs[process].status == "is gone (killed by SIGKILL)"

    @pytest.mark.parametrize(("process", "stay"), [(0, []), (1, [0])])
    def test_a_reset_replaces_it_and_keeps_the_others_that_live(self, lab, process, stay):
        before = [pid(lab, 0), pid(lab, 1)]
        os.kill(before[process], signal.SIGKILL)
        assert until(lambda: lab.state == "lost", 10)
        lab.reset()
        assert [p for p in (0, 1) if pid(lab, p) == before[p]] == stay
        assert sorted(lab.client.ids) == [0, 1]
        assert dict(lab.run("(me, jax.process_index())")) == {0: (0, 0), 1: (1, 1)}
        assert dict(lab.run("read(total(x))")) == scenario.PSUM

    def test_and_the_picture_says_who_is_gone(self, lab):
        os.kill(pid(lab, 1), signal.SIGKILL)
        assert until(lambda: lab.state == "lost", 10)
        assert "killed by SIGKILL" in lab.picture().text
        assert [row.state for row in lab.roll_call()][1] == "gone"


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("os._exit(3)", "exit status 3"),
        ("ctypes.string_at(0)", "killed by SIGSEGV"),
        ("os.abort()", "killed by SIGABRT"),
    ],
)
def test_one_that_ends_itself_is_named_with_how(lab, source, how):
    with pytest.raises(labkit.ProcessLost) as raised:
        lab.run(f"import ctypes, os\nif me == 1: {source}\nread(total(x))")
    assert raised.value.by_process[1] == how
    scenario.is_lost(lab, why=lab.why)
    assert f"process 1 is gone ({how})" in lab.why


def test_sys_exit_in_one_ends_its_cell_and_not_the_process(lab):
    before = pid(lab, 1)
    with pytest.raises(labkit.NotArrived) as raised:
        lab.run("import sys\nif me == 1: sys.exit(3)\nread(total(x))", deadline=1.5)
    assert raised.value.roll_call.cause == (
        "Process 1 ended with SystemExit and will not come in line 3."
    )
    assert alive([before])


class TestALimit:
    LIMIT = """
import resource
if me == 1:
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, used + 2**28))
"""

    def test_of_memory_is_an_error_in_its_column_and_gone_after_the_reset(self, lab):
        with pytest.raises(labkit.ProcessError, match="process 1: MemoryError"):
            lab.run(self.LIMIT + "    much = np.ones(2**28)")
        assert lab.state == "ready"
        lab.reset()
        assert set(lab.run("np.ones(2**26).nbytes").values()) == {2**29}

    def test_of_memory_in_a_program_of_jaxs_has_an_end_too(self, lab):
        with pytest.raises((labkit.ProcessError, labkit.ProcessLost)) as raised:
            lab.run(self.LIMIT + "    jnp.ones(2**28).block_until_ready()")
        assert list(raised.value.by_process) == [1]

    def test_of_time_kills_it(self, lab):
        with pytest.raises(labkit.ProcessLost, match=r"process 1 is gone \(killed by SIG"):
            lab.run(
                "import math, resource\nif me == 1:\n"
                "    spent = math.ceil(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))\n"
                "    resource.setrlimit(resource.RLIMIT_CPU, (spent + 1, spent + 1))\n"
                "    while True: pass\n"
                "read(total(x))"
            )


class TestWhatACellStarted:
    def test_a_small_fork_bomb_is_gone_after_the_reset(self, lab):
        with pytest.raises((labkit.NotArrived, labkit.ProcessLost)):
            lab.run(
                "import os, signal\nparent = os.getpid()\n"
                "if me == 1:\n"
                "    for n in range(2):\n"
                "        os.fork()\n"
                "    if os.getpid() != parent: signal.pause()\n"
                "    while True: pass\n"
                "read(total(x))",
                deadline=1.5,
            )
        started = family(pid(lab, 1))
        assert len(started) == 3
        lab.reset()
        assert until(lambda: not alive(started)), f"{alive(started)} live on"

    def test_programs_are_gone_after_the_reset(self, lab):
        lab.run("import subprocess\nchild = subprocess.Popen(['sleep', '300'])")
        started = list(lab.run("child.pid").values())
        assert alive(started) == started
        lab.reset()
        assert until(lambda: not alive(started))

    def test_programs_are_gone_when_their_process_has_ended_before(self, lab):
        lab.run("import os, subprocess\nchild = subprocess.Popen(['sleep', '300'])")
        started = list(lab.run("child.pid").values())
        with pytest.raises(labkit.ProcessLost):
            lab.run("os._exit(3)", on=1)
        assert until(lambda: not alive(started[1:]))
        lab.reset()
        assert until(lambda: not alive(started))


def family(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]
