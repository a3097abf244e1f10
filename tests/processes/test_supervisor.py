import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from labkit.cluster.supervisor_client import SupervisorClient, can_fork, how_it_ended
from labkit.errors import StartError
from tests.alive import alive, until
from tests.source import ROOT

CHILD = "tests.processes.child"
MODES = ["fork", "plain"] if can_fork() else ["plain"]
FOREVER = {"sleep": 60}

PARENT = """
import json, pathlib, sys, time
from labkit.cluster.supervisor_client import SupervisorClient
supervisor = SupervisorClient(sys.argv[1], {}, sys.argv[2])
for name in "ab":
    supervisor.spawn(name, "tests.processes.child", {"sleep": 60}, f"{sys.argv[2]}/{name}.log")
while len(supervisor.pids) < 2:
    time.sleep(0.01)
print(json.dumps([supervisor.pid, *supervisor.pids.values()]), flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module", params=MODES)
def mode(request):
    return request.param


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture(scope="module")
def one_for_all(mode, tmp_path_factory):
    supervisor = started(mode, tmp_path_factory.mktemp("supervisor"))
    yield supervisor
    supervisor.stop()


@pytest.fixture
def supervisor(one_for_all):
    yield one_for_all
    one_for_all.kill_all()


def started(mode, folder: Path) -> SupervisorClient:
    return SupervisorClient(mode, {"PYTHONPATH": str(ROOT), "GIVEN": "yes"}, str(folder))


def spawn(supervisor, folder: Path, name: str = "one", **spec) -> Path:
    log = folder / f"{name}.log"
    supervisor.spawn(name, CHILD, spec, str(log))
    return log


def status_of(supervisor, name: str = "one") -> int:
    assert until(lambda: name in supervisor.ended), f"{name} has not ended"
    return supervisor.ended[name]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, "exit status 0"),
        ({"exit": 3}, "exit status 3"),
        ({"exit": "a sentence"}, "exit status 1"),
        ({"raise": "one too many"}, "exit status 1"),
        ({"signal": "SIGTERM"}, "killed by SIGTERM"),
        ({"signal": "SIGKILL"}, "killed by SIGKILL"),
    ],
    ids=str,
)
def test_how_a_child_ended_is_told_in_words(supervisor, folder, spec, words):
    spawn(supervisor, folder, **spec)
    assert how_it_ended(status_of(supervisor)) == words
    assert supervisor.pids == {}


def test_a_signal_without_a_name_has_a_number():
    assert how_it_ended(-99) == "killed by signal 99"


def test_what_a_child_writes_goes_to_its_log(supervisor, folder):
    log = spawn(supervisor, folder, print="my last words", **{"raise": "one too many"})
    status_of(supervisor)
    assert "my last words" in log.read_text()
    assert "ValueError: one too many" in log.read_text()


def test_children_have_the_environment_that_was_given(supervisor, folder):
    spawn(supervisor, folder, **FOREVER)
    assert until(lambda: supervisor.pids)
    assert psutil.Process(supervisor.pids["one"]).environ()["GIVEN"] == "yes"


def test_every_end_is_known(supervisor, folder):
    spawn(supervisor, folder, **FOREVER)
    spawn(supervisor, folder, "two", exit=4)
    assert until(lambda: supervisor.ended)
    assert supervisor.ended == {"two": 4}
    assert list(supervisor.pids) == ["one"]


def test_kill_all_ends_every_child_and_the_keeper_serves_on(supervisor, folder):
    for name in ("one", "two"):
        spawn(supervisor, folder, name, **FOREVER)
    assert until(lambda: len(supervisor.pids) == 2)
    pids = list(supervisor.pids.values())
    supervisor.kill_all()
    assert not any(map(psutil.pid_exists, pids))  # not even a zombie
    assert (supervisor.pids, supervisor.ended) == ({}, {})
    spawn(supervisor, folder, exit=0)
    assert status_of(supervisor) == 0


def test_what_a_child_started_goes_with_it(supervisor, folder):
    log = spawn(supervisor, folder, starts=["sleep", "60"], **FOREVER)
    assert until(lambda: log.exists() and log.read_text().strip())
    started = int(log.read_text())
    supervisor.kill_all()
    assert until(lambda: not alive([started]))


def test_a_child_that_was_killed_from_outside_is_missed(supervisor, folder):
    spawn(supervisor, folder, **FOREVER)
    assert until(lambda: supervisor.pids)
    os.kill(supervisor.pids["one"], signal.SIGKILL)
    assert status_of(supervisor) == -signal.SIGKILL


def test_the_children_die_with_their_keeper(mode, folder):
    supervisor = started(mode, folder)
    for name in ("one", "two"):
        spawn(supervisor, folder, name, **FOREVER)
    assert until(lambda: len(supervisor.pids) == 2)
    pids = list(supervisor.pids.values())
    os.kill(supervisor.pid, signal.SIGKILL)
    assert until(lambda: not alive(pids))
    assert until(lambda: supervisor.ended == {"one": -9, "two": -9})
    with pytest.raises(StartError, match="supervisor process is gone"):
        spawn(supervisor, folder)
    supervisor.stop()


def test_keeper_and_children_die_with_the_notebook_also_when_it_is_killed(mode, folder):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, mode, str(folder)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with parent:
        pids = json.loads(parent.stdout.readline())
        assert alive(pids) == pids
        parent.kill()
    assert until(lambda: not alive(pids)), f"{alive(pids)} of {pids} live on"
    assert until(lambda: not folder.exists()), "its folder is still there"


def test_stop_leaves_nothing(mode, tmp_path):
    before, threads = open_files(), threading.enumerate()
    for n in range(10):
        folder = tmp_path / str(n)
        folder.mkdir()
        supervisor = started(mode, folder)
        spawn(supervisor, folder, **FOREVER)
        assert until(lambda supervisor=supervisor: supervisor.pids)
        pids = [supervisor.pid, *supervisor.pids.values()]
        supervisor.stop()
        supervisor.stop()  # once more is no error
        assert not any(map(psutil.pid_exists, pids))
        assert not folder.exists()
    assert open_files() == before
    assert threading.enumerate() == threads


def open_files() -> int:
    return psutil.Process().num_fds()
