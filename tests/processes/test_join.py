import os
import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

from labkit.engine import abort
from tests.processes import harness

NUMBERS = [0, 1, 9_999, 10_001]


def in_step():
    from tests.processes import steps

    return steps.in_step(NUMBERS)


def after(process, kept):
    from tests.processes import steps

    return steps.in_step_after(process, kept)


@pytest.mark.parametrize(("processes", "devices"), [(2, 4), (3, 1)])
def test_processes_in_step_all_read_the_one_right_sum(processes, devices):
    for answer in harness.run(in_step, processes=processes, devices=devices):
        for number, said in zip(NUMBERS, answer, strict=True):
            share = number % 10_000 * 100
            expected = sum((share + process) * devices for process in range(processes))
            assert said == {"got": [expected] * devices, "expected": expected}


@pytest.mark.parametrize(("process", "kept"), [(0, True), (1, False)], ids=["kept", "dropped"])
def test_a_collective_that_one_process_began_alone_is_noticed(process, kept):
    answers = harness.run(after, process, kept, processes=2, devices=2)
    assert any(said is None or set(said["got"]) != {said["expected"]} for said in answers)


WAITS = """
import os, socket
from labkit.engine import abort

def connected():
    with socket.create_server(("127.0.0.1", 0)) as server:
        ends = [socket.create_connection(server.getsockname()), server.accept()[0]]
    return ends

def lives(ends):
    try:
        ends[0].sendall(b"1")
        ends[1].settimeout(2)
        return ends[1].recv(1) == b"1"
    except OSError:
        return False

abort.block()
abort.listen("/dev/stdin")
old = connected()
for _ in range(2):
    os.kill(os.getpid(), abort.CUT)
    abort.wait_for_cut()
    new = connected()
    print(lives(old), lives(new))
    old = new
"""


def test_who_has_waited_for_the_cut_makes_connections_that_last_until_the_next():
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # a thread that does not block the signal
    options = {"env": alone, "capture_output": True, "text": True, "check": True}
    done = subprocess.run([sys.executable, "-c", WAITS], input="{}", **options)
    assert done.stdout.splitlines() == ["False True", "False True"]


def test_a_connection_that_is_another_file_by_now_leaves_nothing_open(monkeypatch, tmp_path):
    folder, end = os.open(tmp_path, os.O_RDONLY), SimpleNamespace(port=1)
    found = SimpleNamespace(laddr=end, raddr=end, status=psutil.CONN_ESTABLISHED, fd=folder)
    process = SimpleNamespace(net_connections=lambda kind: [found])
    monkeypatch.setattr(abort.psutil, "Process", lambda: process)
    before = sorted(os.listdir("/dev/fd"))
    abort.cut()
    assert sorted(os.listdir("/dev/fd")) == before
    os.close(folder)


def test_an_engine_begins_without_a_debugger_which_a_learner_may_import():
    source = "import sys, labkit.engine.serve as serve; print('debugpy' in sys.modules)\n"
    source += "import ipykernel.debugger, debugpy; print(debugpy.__name__)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["False", "debugpy"], done.stderr
