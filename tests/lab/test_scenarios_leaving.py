"""Nothing is left behind: by a start or a reset that fails, a kernel that dies, many of each."""

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

import labkit
from labkit.cluster import cluster
from labkit.cluster.supervisor_client import SupervisorClient
from labkit.lab import rejoin
from tests.alive import alive, until
from tests.lab import scenario
from tests.source import ROOT

PAUSE = 7  # seconds; 50 heartbeats of the lab's are 5

NOTEBOOK = """
import glob, json, os, tempfile, time
import labkit
from tests.lab import scenario

def tell(**said):
    print(json.dumps(said), flush=True)

def pids(lab):
    supervisor = lab._cluster.supervisor
    return [supervisor.pid, *supervisor.pids.values()]
"""


def notebook(source: str) -> subprocess.Popen:
    """A process in the notebook kernel's place."""
    return subprocess.Popen(
        [sys.executable, "-c", NOTEBOOK + source],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


class TestAKernelThatIsKilled:
    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
    def test_while_a_cell_hangs_takes_all_with_it(self, number):
        source = """
lab = labkit.start(2, 4)
lab.run(scenario.SETUP)
tell(pids=pids(lab), folder=lab._cluster.folder)
lab.run("if me == 0: total(x).block_until_ready()", progress=lambda _: tell(state=lab.state))
"""
        with notebook(source) as running:
            said = json.loads(running.stdout.readline())
            while json.loads(running.stdout.readline())["state"] != "waiting":
                pass
            assert alive(said["pids"]) == said["pids"]
            running.send_signal(number)
            assert until(lambda: not alive(said["pids"]), 5), alive(said["pids"])
        assert until(lambda: not Path(said["folder"]).exists())

    def test_half_way_through_its_start_leaves_nothing(self):
        with notebook("tell(begins=1)\nlabkit.start(3, 2)\ntime.sleep(60)") as running:
            running.stdout.readline()
            me = psutil.Process(running.pid)
            assert until(lambda: len(me.children(recursive=True)) >= 3, 60)
            pids = [child.pid for child in me.children(recursive=True)]
            running.kill()
            # Whoever imports jax just now sees it afterwards, which on a busy machine is late.
            assert until(lambda: not alive(pids), 20), f"{alive(pids)} of {pids} live on"


@pytest.fixture(scope="module")
def _started_once():
    labkit.start(1, 1).stop()  # what the first one opens for good is not counted


@pytest.fixture
def _nothing_is_left(_started_once, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = held()
    yield
    assert labkit.current() is None
    assert until(lambda: held() == before, 10), f"{held()} after {before}"
    assert list(tmp_path.iterdir()) == []


def held() -> dict[str, object]:
    """What this process has started and opened."""
    gc.collect()
    me = psutil.Process()
    return {
        "processes": [child.pid for child in me.children(recursive=True)],
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "sockets": len(me.net_connections()),
        "files": me.num_fds(),
    }


@pytest.mark.usefixtures("_nothing_is_left")
class TestALaptopThatSleeps:
    """Everything stands still at once, supervisor and controller too, and goes on at once.

    For longer than the 50 heartbeats that an engine of ipyparallel's misses before it ends.
    """

    def test_wakes_to_a_lab_that_works(self):
        source = """
lab = labkit.start(2, 4)
lab.run(scenario.SETUP)
tell(pids=pids(lab))
lab.run("import time; time.sleep(3)", deadline=2)
done = lab.run("read(total(x))")
tell(state=lab.state, got=list(done.values()), trusted=done.trusted)
"""
        with notebook(source) as running:
            everyone = [running.pid, *json.loads(running.stdout.readline())["pids"]]
            for number, pause in ((signal.SIGSTOP, PAUSE), (signal.SIGCONT, 0)):
                for pid in everyone:
                    os.kill(pid, number)
                time.sleep(pause)
            said = json.loads(running.stdout.readline())
        assert said == {"state": "ready", "got": [[56, 64]] * 2, "trusted": True}


class TestAStart:
    def works(self) -> None:
        with labkit.start(2, 4) as lab:
            lab.run(scenario.SETUP)
            assert dict(lab.run("read(total(x))")) == scenario.PSUM

    @pytest.mark.parametrize("stage", [1, 2])
    def test_that_is_interrupted_half_way_leaves_nothing_and_the_next_works(
        self, monkeypatch, stage
    ):
        reports = []

        def stop(report, text):
            reports.append(text)
            if len(reports) == stage:
                raise KeyboardInterrupt

        monkeypatch.setattr("labkit.display.notebook.Progress.__call__", stop)
        with pytest.raises(KeyboardInterrupt):
            labkit.start(2, 4)
        monkeypatch.undo()
        self.works()

    def test_whose_partner_is_killed_says_who_and_how(self, monkeypatch):
        treat(monkeypatch, "process 1", signal.SIGKILL)
        with pytest.raises(labkit.StartError) as raised:
            labkit.start(2, 4)
        assert str(raised.value).startswith("process 1 ended (killed by SIGKILL) while starting.")

    def test_whose_partner_never_joins_says_who_came(self, monkeypatch):
        asked = treat(monkeypatch, "process 1", signal.SIGSTOP)

        def little_patience(report, text):  # from then on; a busy machine is slow to start anybody
            if "are joining" in text:
                assert until(lambda: "process 1" in asked[0].pids, 60)
                monkeypatch.setattr(cluster, "_PATIENCE", 3)

        monkeypatch.setattr("labkit.display.notebook.Progress.__call__", little_patience)
        with pytest.raises(labkit.StartError) as raised:
            labkit.start(2, 4)
        assert str(raised.value).startswith("Gave up after 3 s: ")
        assert str(raised.value).endswith("Running: controller, process 0, process 1; joined: [].")


def treat(monkeypatch, name: str, number: signal.Signals) -> list[SupervisorClient]:
    """Send a signal to a child as soon as it has been asked for; gives who was asked."""
    spawn, asked = SupervisorClient.spawn, []

    def spawned(supervisor, called, *args):
        spawn(supervisor, called, *args)
        if called == name:
            asked.append(supervisor)
            supervisor.signal(name, number)

    monkeypatch.setattr(SupervisorClient, "spawn", spawned)
    return asked


@pytest.mark.usefixtures("_nothing_is_left")
class TestAReset:
    def test_that_is_interrupted_half_way_leaves_a_lab_that_says_so_and_can_be_reset(
        self, monkeypatch
    ):
        def stop(*_):
            raise KeyboardInterrupt

        with labkit.start(2, 4) as lab:
            lab.run(scenario.SETUP, setup=True)
            monkeypatch.setattr(rejoin, "_join", stop)
            with pytest.raises(KeyboardInterrupt):
                lab.reset()
            monkeypatch.undo()
            assert lab.state == "lost"
            assert lab.why.startswith("the reset failed")
            lab.reset()
            assert dict(lab.run("read(total(x))")) == scenario.PSUM

    def test_that_cannot_start_anybody_says_so(self, monkeypatch):
        with labkit.start(2, 4) as lab:
            treat(monkeypatch, "process 1", signal.SIGKILL)
            with pytest.raises(labkit.StartError, match="process 1 ended"):
                lab.reset(processes=3)
            assert lab.state == "lost"
            assert "process 1 ended (killed by SIGKILL) while starting" in lab.why


def many(times):
    """What shows rarely, or adds up slowly: long, and enough of it on one end."""
    return pytest.param(times, marks=[pytest.mark.slow, pytest.mark.one_end])


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("_nothing_is_left")
class TestManyTimes:
    @pytest.mark.parametrize("times", [5, many(20)])  # what one start leaves shows by itself
    def test_start_and_stop(self, times):
        for _ in range(times):
            with labkit.start(2, 1) as lab:
                assert dict(lab.run("jax.device_count()")) == {0: 2, 1: 2}

    @pytest.mark.parametrize("times", [10, many(40)])
    def test_reset(self, times):
        expected = [8 + 2 * n for n in range(8)]
        with labkit.start(2, 1) as lab:
            lab.run(scenario.SETUP, setup=True)
            seen = {}
            for n in range(times):
                (die if n % 10 == 9 else hang if n % 2 else idle)(lab)
                lab.reset()
                assert dict(lab.run("read(total(x))")) == {0: expected, 1: expected}
                for process in lab.processes:
                    seen.setdefault(process.pid, []).append(opened(process.pid))
            for rows in seen.values():
                few = len(rows) < 8  # one more each time would show by then
                assert few or all(b - a < 5 for a, b in zip(rows[1], rows[-1], strict=True)), rows


def idle(lab) -> None:
    lab.run("1")


def hang(lab) -> None:
    with pytest.raises(labkit.NotArrived):
        lab.run("if me == 0: total(x).block_until_ready()", deadline=0.5)


def die(lab) -> None:
    os.kill(lab.processes[1].pid, signal.SIGKILL)
    assert until(lambda: lab.state == "lost", 10)


def opened(pid: int) -> tuple[int, int]:
    """How many threads and files a process has."""
    process = psutil.Process(pid)
    return process.num_threads(), process.num_fds()
