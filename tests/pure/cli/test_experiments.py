import numpy as np

from labkit.cli import experiments


def test_the_sums_are_those_of_the_psum_question():
    expected = experiments.psum().expected
    assert expected["local_sum"]["p0·d3"].tolist() == [12, 16]
    assert expected["local_sum"]["p1·d0"].tolist() == [44, 48]
    assert {tuple(v) for v in expected["global_sum"].values()} == {(56, 64)}
    assert len(expected["global_sum"]) == 8


def test_the_values_are_those_of_the_batch_question():
    expected = experiments.replicas().expected
    assert {label: set(v.flat) for label, v in expected["a"].items()} == {
        "p0·d0": {0},
        "p1·d0": {1},
    }
    assert np.hstack(list(expected["result"].values())).tolist() == [[2] * 4 + [6] * 4] * 4


def test_equal_values_give_no_words():
    held = {"p0·d0": np.array([12, 16]), "p1·d0": np.array([44, 48])}
    assert experiments.differences("y", held, dict(held)) == []


def test_a_wrong_value_is_named_with_its_device():
    expected = {"p0·d0": np.array([12, 16]), "p1·d0": np.array([44, 48])}
    held = {"p0·d0": np.array([12, 16]), "p1·d0": np.array([12, 16])}
    assert experiments.differences("y", expected, held) == [
        "y on p1·d0: expected [44 48], found [12 16]"
    ]


def test_a_wrong_shape_is_a_difference():
    assert experiments.differences("y", {"p0·d0": np.zeros(2)}, {"p0·d0": np.zeros((2, 2))})


def test_a_device_too_few_or_too_many_is_said():
    [few] = experiments.differences("y", {"p0·d0": np.zeros(2)}, {})
    [many] = experiments.differences("y", {}, {"p1·d0": np.zeros(2)})
    assert "p0·d0" in few
    assert "p1·d0" in many
