import json
import os
import subprocess
import sys

import pytest

from labkit.cluster import pidfile

GONE = [2**22 + 1, 5.0]  # no Linux pid is that high


@pytest.fixture
def lab_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(pidfile.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = tmp_path / f"{pidfile.PREFIX}x"
    folder.mkdir()
    return folder


@pytest.fixture
def sleeper():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield child
    child.kill()
    child.wait()


def left_behind(folder, supervisor, *children, word="supervisor"):
    told = {word: supervisor, "children": children}
    (folder / "record.json").write_text(json.dumps(told))


@pytest.mark.parametrize("word", ["supervisor", "keeper"])  # the second is of older versions
def test_what_a_dead_lab_left_is_ended_and_its_folder_removed(lab_folder, sleeper, word):
    left_behind(lab_folder, GONE, pidfile.member(sleeper.pid), word=word)
    assert pidfile.reap() == [sleeper.pid]
    assert sleeper.wait(10) == -9
    assert not lab_folder.exists()


def test_a_living_lab_is_left_alone(lab_folder, sleeper):
    pidfile.write(str(lab_folder), [sleeper.pid])
    assert pidfile.reap() == []
    assert sleeper.poll() is None
    assert lab_folder.exists()


def test_a_pid_that_somebody_else_has_now_is_not_touched(lab_folder, sleeper):
    left_behind(lab_folder, GONE, [sleeper.pid, 12345.0])
    assert pidfile.reap() == []
    assert sleeper.poll() is None


def test_a_record_that_is_damaged_or_of_another_kind_stops_nobody(lab_folder):
    (lab_folder / "record.json").write_text("{")
    assert pidfile.reap() == []


def test_a_process_that_has_ended_is_nobody(sleeper):
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet waited for
    assert pidfile.member(sleeper.pid) == (sleeper.pid, 0.0)
