"""The harness itself: it fails when it should, and leaves nothing behind."""

import os
import signal
import time

import psutil
import pytest

from tests.processes import harness

RUN = {"processes": 2, "devices": 1}


def who():
    import jax

    return jax.process_index(), jax.process_count(), jax.device_count(), os.getpid()


def raises_in_process_1():
    import jax

    if jax.process_index() == 1:
        raise ValueError("one too many")


def dies_in_process_1():
    import jax

    if jax.process_index() == 1:
        print("my last words", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def sleeps():
    time.sleep(60)


def returns_a_jax_array():
    import jax.numpy as jnp

    return {"x": [jnp.arange(3)]}


def children():
    return set(psutil.Process().children(recursive=True))


@pytest.fixture(autouse=True)
def _nothing_is_left_behind():
    before = children()
    yield
    assert children() <= before


def test_each_process_joins_one_group_and_is_gone_afterwards():
    answers = harness.run(who, processes=2, devices=2)
    assert [answer[:3] for answer in answers] == [(0, 2, 4), (1, 2, 4)]
    assert not any(psutil.pid_exists(answer[3]) for answer in answers)


def test_an_exception_is_told_with_its_process():
    with pytest.raises(harness.GroupError, match=r"(?s)process 1 raised.*one too many"):
        harness.run(raises_in_process_1, **RUN)


def test_a_process_that_dies_ends_the_run_and_its_output_is_shown():
    with pytest.raises(harness.GroupError, match=r"(?s)process 1 ended with -9.*my last words"):
        harness.run(dies_in_process_1, **RUN)


def test_a_run_ends_in_time():
    began = time.monotonic()
    with pytest.raises(harness.GroupError, match=r"no answer in time from processes \[0, 1\]"):
        harness.run(sleeps, **RUN, timeout=2)
    assert time.monotonic() - began < 10


def test_an_answer_that_would_need_jax_is_refused():
    with pytest.raises(harness.GroupError, match="which is not plain data"):
        harness.run(returns_a_jax_array, **RUN)
