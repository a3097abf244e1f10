import pytest

from tests.processes import harness

WAYS = [
    "y.block_until_ready()",
    "jax.block_until_ready(y)",
    "np.asarray(y)",
    "print(y)",
    "jax.experimental.multihost_utils.sync_global_devices('here')",
]
LATE = "if jax.process_index() == 1:\n    time.sleep(1.2)\ny = TOTAL(ONES)\n"
BUSY = "end = time.monotonic() + 1.2\nwhile time.monotonic() < end:\n    sum(range(1000))\n"


def places():
    from tests.processes import steps

    return steps.places([*(LATE + way for way in WAYS), BUSY])


@pytest.fixture(scope="module")
def told():
    return harness.run(places, processes=2, devices=2)


def running(places):
    found = [place for place in places if place["phase"] == "running"]
    assert found, "nothing was told while it ran"
    return found


@pytest.mark.parametrize("way", WAYS)
def test_a_process_that_is_blocked_says_in_which_line(told, way):
    number = WAYS.index(way)
    place = running(told[0][number])[-1]
    assert (place["label"], place["number"]) == (f"cell {number}", number)
    assert (place["line"], place["text"]) == (4, way)
    assert place["waiting"]


@pytest.mark.parametrize("way", WAYS)
def test_a_process_that_sleeps_in_python_is_not_waiting(told, way):
    asleep = [place for place in told[1][WAYS.index(way)] if place["line"] == 2]
    assert {place["text"] for place in asleep} == {"time.sleep(1.2)"}
    assert not any(place["waiting"] for place in asleep)


@pytest.mark.parametrize("process", [0, 1])
def test_a_process_that_computes_in_python_is_not_waiting(told, process):
    assert not any(place["waiting"] for place in running(told[process][-1]))


@pytest.mark.parametrize("process", [0, 1])
def test_the_end_of_a_cell_is_told_from_its_lines(told, process):
    for places in told[process]:
        assert places[-1]["phase"] == "finishing"
