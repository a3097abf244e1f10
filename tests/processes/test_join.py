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
