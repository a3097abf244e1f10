"""Each way to reset, with a verified psum after it, against a fresh start in the same run."""

import os
import signal
import statistics
import time
from collections.abc import Callable

import ipyparallel  # noqa: F401  (imports are done before the clock runs)
import pytest

import labkit
from tests.bench.test_start import DEVICES, PSUM

ROUNDS = 5
HANG = PSUM + "\nif jax.process_index() == 0: f(x).block_until_ready()"


def healthy(lab: labkit.Lab) -> None:
    lab.run(PSUM)


def hung(lab: labkit.Lab) -> None:
    with pytest.raises(labkit.NotArrived):
        lab.run(HANG, deadline=0.5)


def dead(lab: labkit.Lab) -> None:
    os.kill(lab.processes[-1].pid, signal.SIGKILL)
    while lab.state != "lost":
        time.sleep(0.005)


def right(lab: labkit.Lab, count: int) -> None:
    assert dict(lab.run(PSUM)) == dict.fromkeys(range(count), count * DEVICES)


def fresh_start(count: int) -> float:
    began = time.perf_counter()
    with labkit.start(count, DEVICES) as lab:
        right(lab, count)
        return time.perf_counter() - began


def reset(lab: labkit.Lab, breaks: Callable[[labkit.Lab], None], count: int) -> tuple[float, int]:
    """Seconds, and how many of the processes are the same ones."""
    breaks(lab)
    before, began = {p.pid for p in lab.processes}, time.perf_counter()
    lab.reset()
    right(lab, count)
    return time.perf_counter() - began, len(before & {p.pid for p in lab.processes})


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [2, 4])
def test_reset(count: int, capsys: pytest.CaptureFixture):
    start = statistics.median(fresh_start(count) for _ in range(ROUNDS))
    said = [f"{count} processes: fresh start {start:.2f} s"]
    with labkit.start(count, DEVICES) as lab:
        for breaks, stay in ((healthy, count), (hung, count), (dead, count - 1)):
            rounds = [reset(lab, breaks, count) for _ in range(ROUNDS)]
            assert {same for _, same in rounds} == {stay}, "another way than the one meant"
            median = statistics.median(seconds for seconds, _ in rounds)
            said.append(f"{breaks.__name__} {median:.2f} s = {median / start:.2f} x")
            assert median < 5 * start
    with capsys.disabled():
        print("\n" + "; reset when ".join(said))
