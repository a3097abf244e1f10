"""What processes tell of a tree, merged by hand-made answers: no process, no JAX."""

import hashlib

import numpy as np
import pytest

from labkit.analysis import replica_differences, replicas
from labkit.analysis.replica_differences import BLOCK
from labkit.facts import Copies, Leaf

WHOLE = ((0, 4),)


def record(path="['w']", shards=(), **more):
    told = {
        "path": path,
        "kind": "array",
        "shape": (4,),
        "dtype": "float32",
        "spec": (),
        "nbytes": 16,
        "owners": (0, 1),
        "shards": [(label, WHOLE, digest) for label, digest in shards],
        "text": "",
        "trouble": "",
    }
    return told | more


def on(process, *digests):
    return [(f"p{process}·d{n}", digest) for n, digest in enumerate(digests)]


def leaf(*records, own=True):
    """The one leaf that each process tells."""
    (found,) = replicas.leaves({p: [r] for p, r in enumerate(records)}, own)
    return found


class TestGroups:
    def test_equal_hashes_agree(self):
        found = leaf(record(shards=on(0, b"x", b"x")), record(shards=on(1, b"x", b"x")))
        assert found.agree
        assert found.checked == 4

    def test_the_largest_group_stands_first_and_equal_ones_by_device(self):
        found = leaf(record(shards=on(0, b"x", b"y")), record(shards=on(1, b"y", b"z")))
        assert found.groups == (("p0·d1", "p1·d0"), ("p0·d0",), ("p1·d1",))

    def test_devices_are_ordered_by_number(self):
        shards = on(0, *[b"x"] * 11)
        assert leaf(record(shards=shards), record(shards=on(1, b"y"))).groups[0][-1] == "p0·d10"

    def test_only_copies_of_one_slice_are_compared(self):
        halves = [("p0·d0", ((0, 2),), b"x"), ("p0·d1", ((2, 4),), b"y")]
        found = leaf(record() | {"shards": halves})
        assert found.agree
        assert found.checked == 0

    def test_arrays_of_each_processs_own_are_compared_unless_told_not_to_be(self):
        mine = [record(shards=on(p, bytes([p])), owners=(p,)) for p in (0, 1)]
        assert leaf(*mine).own
        assert not leaf(*mine).agree
        assert leaf(*mine, own=False).agree


class TestProblems:
    def test_a_leaf_that_only_some_have(self):
        found = replicas.leaves({0: [record()], 1: [], 2: []})
        assert found[0].problem == "missing in processes 1, 2"

    def test_leaves_keep_the_order_of_the_tree(self):
        told = {0: [record("a"), record("b")], 1: [record("a"), record("c")]}
        assert [one.path for one in replicas.leaves(told)] == ["a", "b", "c"]

    def test_arrays_of_another_type_are_not_compared_by_bytes(self):
        found = leaf(record(shards=on(0, b"x")), record(shards=on(1, b"y"), dtype="int32"))
        assert not found.copies
        assert found.problem == "other type: float32[4] in process 0, int32[4] in process 1"

    def test_the_type_that_most_have_is_the_leafs(self):
        found = leaf(record(dtype="int8"), record(), record())
        assert found.dtype == "float32"

    def test_what_cannot_be_read_is_said_and_the_others_are_compared(self):
        gone = record(trouble="deleted")
        found = leaf(record(shards=on(0, b"x", b"y")), gone)
        assert found.problem == "deleted in process 1"
        assert found.groups == (("p0·d0",), ("p0·d1",))

    def test_a_spec_in_one_process_only(self):
        found = leaf(record(spec=("i",)), record(spec=None))
        assert found.problem == "other spec: P('i') in process 0, none in process 1"

    def test_host_values_are_told(self):
        kind = {"kind": "host", "shape": (), "dtype": "float"}
        found = leaf(record(**kind, text="0.5"), record(**kind, text="0.25"))
        assert found.problem == "other value: 0.5 in process 0, 0.25 in process 1"


def test_hashed_bytes_are_counted_slice_by_slice():
    halves = [("p0·d0", ((0, 2),), b"x"), ("p0·d1", WHOLE, b"y")]
    assert replicas.nbytes({0: [record() | {"shards": halves}]}) == 8 + 16


class Asked:
    """Answers as the processes would, from whole arrays; and what was asked."""

    def __init__(self, held):
        self.held, self.blocks_sent, self.questions = held, 0, []

    def __call__(self, question, wanted):
        self.questions.append(question)
        answers = {}
        for label in {place[1] for place in self.held}:
            own = getattr(self, question)(wanted, label)
            answers.setdefault(int(label[1]), {}).update(own)
        return answers

    def blocks(self, wanted, label):
        mine = [place for place in wanted if place[1] == label and place in self.held]
        return {place: b"".join(map(self._hash, self._cut(self.held[place]))) for place in mine}

    def elements(self, wanted, label):
        mine = [(place, n) for place, n in wanted if place[1] == label]
        self.blocks_sent += len(mine)
        return {(place, n): self._cut(self.held[place])[n] for place, n in mine}

    def windows(self, wanted, label):
        return {p: self.held[p][tuple(slice(*s) for s in i)] for p, i in wanted if p[1] == label}

    def _cut(self, data):
        flat, each = data.reshape(-1), BLOCK // data.itemsize
        return [flat[at : at + each] for at in range(0, len(flat), each)]

    def _hash(self, block):
        return hashlib.md5(block.tobytes()).digest()


def differing(value, other, index=None, path="['w']"):
    index = index or tuple((0, size) for size in value.shape)
    copies = Copies(index, (("p0·d0", "p0·d1"), ("p1·d0",)))
    held = {(path, "p0·d0"): value, (path, "p1·d0"): other}
    return Leaf(path, value.shape, str(value.dtype), (), value.nbytes, (copies,)), held


class TestNumbers:
    def test_leaves_that_agree_are_asked_nothing(self):
        asked = Asked({})
        replica_differences.with_numbers([Leaf("a")], asked)
        assert asked.questions == []

    @pytest.mark.parametrize("at", [0, 65535, 65536, 200_000, 299_999])
    def test_only_blocks_that_differ_travel_and_one_of_each_group(self, at):
        value = np.zeros(300_000, np.float32)
        other = value.copy()
        other[at] = 2
        one, held = differing(value, other)
        asked = Asked(held)
        (found,) = replica_differences.with_numbers([one], asked)
        assert (found.first_index, found.count, found.max_abs_diff) == ((at,), 1, 2.0)
        assert asked.blocks_sent == 2
        assert found.copies[0].whole

    def test_an_index_is_told_in_the_whole_arrays_coordinates(self):
        value = np.zeros((4, 6), np.float32)
        other = value.copy()
        other[3, 1] = 1
        one, held = differing(value, other, ((4, 8), (12, 18)))
        (found,) = replica_differences.with_numbers([one], Asked(held))
        assert found.first_index == (7, 13)
        assert found.copies[0].corner == (4, 12)
        assert [v.shape for v in found.copies[0].values] == [(4, 6), (4, 6)]

    def test_the_window_is_at_most_eight_by_eight_around_the_first(self):
        value = np.zeros((3, 40, 50), np.int32)
        other = value.copy()
        other[2, 20:, 30] = 1
        one, held = differing(value, other)
        (found,) = replica_differences.with_numbers([one], Asked(held))
        (copies,) = found.copies
        assert found.first_index == (2, 20, 30)
        assert [v.shape for v in copies.values] == [(1, 8, 8)] * 2
        assert copies.corner == (2, 16, 26)
        assert copies.values[1][0, 4, 4] == 1

    def test_beyond_the_limit_the_count_is_the_least_it_can_be(self):
        value = np.zeros(4 * BLOCK // 4, np.float32)
        one, held = differing(value, value + 1)
        (found,) = replica_differences.with_numbers([one], Asked(held), most=3)
        assert found.count == 3 * BLOCK // 4
        assert not found.copies[0].whole

    def test_every_leaf_gets_its_first_block_whatever_the_limit(self):
        value = np.zeros(2 * BLOCK // 4, np.float32)
        leaves, held = zip(*[differing(value, value + 1, path=p) for p in "abc"], strict=True)
        asked = Asked({place: v for each in held for place, v in each.items()})
        found = replica_differences.with_numbers(leaves, asked, most=1)
        assert [one.first_index for one in found] == [(0,)] * 3

    def test_what_fits_into_one_block_is_fetched_at_once(self):
        one, held = differing(np.zeros(5), np.ones(5))
        asked = Asked(held)
        replica_differences.with_numbers([one], asked)
        assert asked.questions == ["elements", "windows"]

    def test_what_has_no_elements_keeps_its_groups(self):
        groups = (("p0·host",), ("p1·host",))
        words = Leaf("['s']", (), "str", copies=(Copies((), groups),))
        asked = Asked({})
        (found,) = replica_differences.with_numbers([words], asked)
        assert (found.groups, found.first_index, asked.questions) == (groups, None, [])
