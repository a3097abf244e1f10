import numpy as np
import pytest

from labkit.facts import Array, Shard, Variable, View
from labkit.text.letters import cuts, held, letter, prime
from tests.pure.pictures import X_ALL, Y_ALL, A, X, Y, preview


def copies(*values, digests=None, complete=True) -> Variable:
    digests = digests or [""] * len(values)
    shards = tuple(
        Shard(f"p{p}·d0", ((0, 2),), (2,), np.asarray(value), complete, digest)
        for p, (value, digest) in enumerate(zip(values, digests, strict=True))
    )
    return Variable("v", (View((0,), Array((2,), "float32", shards, spans=True)),))


def marks(variable: Variable) -> dict[str, str]:
    return {label: holds.mark for label, holds in held(cuts(variable)).items()}


def only(variable: Variable):
    [[cut]] = cuts(variable)
    return cut


@pytest.mark.parametrize(("number", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (63, "BL")])
def test_letters_go_on_after_z(number, name):
    assert letter(number) == name


def test_letters_never_repeat():
    assert len({letter(number) for number in range(2000)}) == 2000


def test_primes_never_repeat():
    assert len({prime(variant) for variant in range(70)}) == 70


def test_letters_go_on_over_arrays_of_different_processes():
    assert "".join(marks(X).values()) == "ABCDEFGH"


def test_one_array_has_a_letter_for_each_slice():
    assert "".join(marks(X_ALL).values()) == "ABCDEFGH"


def test_only_true_replicas_share_a_letter():
    assert "".join(marks(Y).values()) == "AAAABBBB"
    assert "".join(marks(Y_ALL).values()) == "AAAAAAAA"


def test_copies_that_differ_get_a_prime():
    assert marks(A) == {"p0·d0": "A", "p1·d0": "A′"}
    assert marks(copies([0, 1], [2, 1], [0, 1], [3, 1])) == {
        "p0·d0": "A",
        "p1·d0": "A′",
        "p2·d0": "A",
        "p3·d0": "A″",
    }


def test_equal_copies_do_not_differ():
    cut = only(copies([0.0, np.nan], [0.0, np.nan]))
    assert cut.compared
    assert not cut.differ


def test_digests_decide_where_there_are_digests():
    assert only(copies([0, 1], [0, 1], digests=["one", "other"])).differ
    assert not only(copies([0, 1], [0, 1], digests=["one", "one"])).differ


def test_equal_beginnings_prove_nothing():
    cut = only(copies([0, 1], [0, 1], complete=False))
    assert not cut.compared
    assert not cut.differ


def test_different_beginnings_prove_that_copies_differ():
    assert only(copies([0, 1], [5, 1], complete=False)).differ


def test_a_preview_with_digests_is_compared():
    assert only(preview(4096, digest="same")).compared
