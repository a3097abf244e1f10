import numpy as np
import pytest

from labkit.facts import Array, Shard
from labkit.text.values import Room, blocks
from tests.pure.pictures import X_ALL, T, keys, preview


def shown(value: np.ndarray, room: Room, pick: tuple[int, ...] = ()):
    index = tuple((0, size) for size in value.shape)
    shard = Shard("p0·d0", index, value.shape, value)
    return blocks(Array(value.shape, str(value.dtype), (shard,)), room, pick)["p0·d0"]


def test_a_small_shard_is_shown_whole():
    block = shown(np.arange(6).reshape(2, 3), Room(4, 4))
    assert block.panes[0].rows == (("0", "1", "2"), ("3", "4", "5"))
    assert block.note == ""


def test_each_device_has_its_own_values():
    found = blocks(X_ALL.arrays[0], Room())
    assert {d: " ".join(b.panes[0].rows[0]) for d, b in found.items()} == {
        f"p{k // 4}·d{k % 4}": f"{2 * k} {2 * k + 1}" for k in range(8)
    }


@pytest.mark.parametrize("count", [4, 5, 6, 17, 1000])
@pytest.mark.parametrize("columns", [2, 3, 4, 8])
def test_what_is_left_out_is_the_middle_and_is_counted(count, columns):
    block = shown(np.arange(count), Room(1, columns))
    cells = block.panes[0].rows[0]
    kept = [int(cell) for cell in cells if cell != "…"]
    assert len(cells) <= columns
    if count <= columns:
        assert kept == list(range(count))
        assert block.note == ""
    else:
        before = cells.index("…")
        assert kept[:before] == list(range(before))
        assert kept[before:] == list(range(count - len(kept) + before, count))
        assert block.note == f"{len(kept)} of {count:,} shown"


def test_rows_are_left_out_as_columns_are():
    block = shown(np.arange(100).reshape(10, 10), Room(3, 3))
    assert block.panes[0].rows == (("0", "…", "9"), ("⋮", "⋮", "⋮"), ("90", "…", "99"))
    assert block.note == "4 of 100 shown"


def test_of_a_preview_only_its_beginning_is_known():
    block = blocks(preview(4096).arrays[0], Room(4, 16))["p0·d0"]
    assert block.panes[0].rows == (("0.0", "1.0", "2.0", "3.0", "4.0", "5.0", "6.0", "7.0", "…"),)
    assert block.note == "8 of 4,096 shown"


def test_above_two_dimensions_there_are_panes_with_their_place_in_the_whole_array():
    block = blocks(T.arrays[0], Room(4, 8, panes=2))["p1·d1"]
    whole = np.arange(192).reshape(2, 4, 4, 6)
    assert [pane.label for pane in block.panes] == ["[1, 0, …]", "[1, 1, …]"]
    for pane, at in zip(block.panes, [(1, 0), (1, 1)], strict=True):
        assert np.array(pane.rows, int).tolist() == whole[at][1:2].tolist()
    assert block.note == "12 of 24 shown"


def test_a_picked_pane_is_counted_in_the_whole_array():
    found = blocks(T.arrays[0], Room(4, 8), pick=(1, 2))
    assert found["p1·d1"].panes[0].label == "[1, 2, …]"
    assert found["p0·d1"].panes == ()
    assert found["p0·d1"].note == "not in [1, 2, …]"


def test_a_scalar_is_one_value():
    assert shown(np.array(0.25), Room()).panes[0].rows == (("0.25",),)


def test_an_empty_shard_says_so():
    assert shown(np.zeros((0, 3)), Room()).note == "no elements"


def test_a_value_that_nobody_sent_is_said_so():
    array = Array((2,), "float32", (Shard("p0·d0", ((0, 2),), (2,)),))
    assert blocks(array, Room())["p0·d0"].note == "value not shown"


def test_a_key_counts_as_one_element():
    array = keys().arrays[1]
    block = blocks(array, Room())["p1·d3"]
    assert block.panes[0].rows == (("1,3",),)
    assert block.note == ""
