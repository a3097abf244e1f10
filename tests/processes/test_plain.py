"""Values of cells: what comes back as it was, and what comes back as a fact."""

import ml_dtypes
import numpy as np
import pytest

from labkit import facts
from labkit.analysis import arrays
from tests.processes import harness


def plain():
    from tests.processes import holdings

    return holdings.plain()


@pytest.fixture(scope="module")
def tagged():
    return harness.run(plain, processes=2, devices=2)


@pytest.fixture(scope="module")
def values(tagged):
    return [{name: arrays.decode(value) for name, value in said.items()} for said in tagged]


def test_plain_values_come_back_as_they_were(values):
    expected = [None, True, 3, 2.5, 1j, "text", b"bytes", (1, 2), {3}, frozenset({4})]
    for said in values:
        assert said["simple"] == expected
        assert [type(v) for v in said["simple"]] == [type(v) for v in expected]


def test_numpy_comes_back_as_numpy(values):
    number, array, brain = values[0]["numpy"]
    assert isinstance(number, np.float32)
    assert number == 2.5
    assert array.tolist() == [0, 1, 2]
    assert isinstance(brain, ml_dtypes.bfloat16)
    assert brain == 1.5
    assert values[0]["host"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_learners_own_dict_is_never_a_record(values):
    assert values[0]["like_a_record"] == {"kind": "array", "shape": (1,), 5: ("fact", "is")}


def test_arrays_of_ones_own_come_as_numpy(values):
    for process, said in enumerate(values):
        assert type(said["own"]) is np.ndarray
        assert said["own"].dtype == np.int32
        assert said["own"].tolist() == [10 * process + n for n in range(3)]
        assert said["over_own_mesh"].tolist() == list(range(8))


def test_an_array_on_another_process_comes_as_a_fact_without_shards(values):
    assert values[0]["on_first_device"].tolist() == [0, 1, 2]
    elsewhere = values[1]["on_first_device"]
    assert isinstance(elsewhere, facts.Array)
    assert elsewhere.shards == ()


def test_arrays_that_span_processes_come_as_facts(values):
    for process, said in enumerate(values):
        array = said["diverged"]
        assert isinstance(array, facts.Array)
        assert array.spans
        assert [shard.device for shard in array.shards] == [f"p{process}·d{n}" for n in range(2)]
        assert all(shard.value.tolist() == [process] * 4 for shard in array.shards)


def test_what_numpy_cannot_hold_comes_as_a_fact(values):
    assert values[0]["keys"].dtype == "key<fry>"
    assert values[0]["deleted"].deleted
    assert values[0]["grid"].devices == ("p0·d0", "p0·d1", "p1·d0", "p1·d1")


@pytest.mark.parametrize(
    ("name", "type_name"),
    [
        ("objects", "ndarray"),
        ("tracer", "DynamicJaxprTracer"),
        ("state", "State"),
        ("subclass", "Mine"),
    ],
)
def test_objects_come_as_their_type_and_text(values, name, type_name):
    assert isinstance(values[0][name], facts.Thing)
    assert values[0][name].type == type_name


def test_a_named_tuple_comes_as_a_tuple(values):
    x, y = values[1]["named"]
    assert type(values[1]["named"]) is tuple
    assert (x, y.tolist()) == (1, [10, 11, 12])


def test_a_list_within_itself_ends(values):
    number, inner = values[0]["cyclic"]
    assert number == 1
    assert inner.type == "list"
    assert "within itself" in inner.text


def test_nesting_is_followed_to_a_depth(values):
    value, depth = values[0]["deep"], 0
    while isinstance(value, list):
        (value,), depth = value, depth + 1
    assert depth == 50
    assert isinstance(value, facts.Thing)


def test_how_much_is_followed_is_bounded(tagged):
    def count(value):
        return 1 + sum(map(count, value[1])) if value[0] == "list" else 1

    assert count(tagged[0]["wide"]) < 200_000


def test_what_is_over_the_limit_comes_as_a_fact_and_the_rest_as_it_is(values):
    fits, array, text, number = values[0]["too_big"]
    assert fits.tolist() == [0, 1, 2]
    assert isinstance(array, facts.Array)
    assert array.shards[0].value.tolist() == [0] * 9
    assert isinstance(text, facts.Thing)
    assert number == 1
