"""Each way of a reset, with its verifying psum, against a fresh start in the same run."""

import os
import signal
import statistics
import time

import pytest

import labkit
from tests.bench.test_start import DEVICES, PSUM

ROUNDS = 3
COUNT = 4
ALONE = "if jax.process_index() == 0: print(multihost_utils.process_allgather(jnp.ones(1)))"


def healthy(lab: labkit.Lab) -> None:
    lab.run(PSUM)


def hung(lab: labkit.Lab) -> None:
    with pytest.raises(labkit.NotArrived):
        lab.run(ALONE, deadline=0.5)


def dead(lab: labkit.Lab) -> None:
    os.kill(lab.processes[1].pid, signal.SIGKILL)
    while lab.state != "lost":
        time.sleep(0.01)


def started() -> tuple[float, labkit.Lab]:
    began = time.perf_counter()
    lab = labkit.start(processes=COUNT, devices=DEVICES)
    assert set(lab.run(PSUM).values()) == {COUNT * DEVICES}
    return time.perf_counter() - began, lab


def reset(lab: labkit.Lab) -> float:
    began = time.perf_counter()
    lab.reset()
    assert set(lab.run(PSUM).values()) == {COUNT * DEVICES}
    return time.perf_counter() - began


@pytest.mark.timeout(600)
def test_each_way_of_a_reset(capsys: pytest.CaptureFixture):
    times: dict[str, list[float]] = {"start": []}
    for _ in range(ROUNDS):
        took, lab = started()
        times["start"].append(took)
        with lab:
            for way in (healthy, hung, dead):
                way(lab)
                times.setdefault(way.__name__, []).append(reset(lab))
    middle = {name: statistics.median(all_of) for name, all_of in times.items()}
    with capsys.disabled():
        for name, seconds in middle.items():
            print(f"\n{name}: {seconds:.2f} s = {seconds / middle['start']:.2f} x a start", end="")
    assert middle["healthy"] < middle["start"], "a reset in place should be the quicker way"
