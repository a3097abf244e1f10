import re
from dataclasses import replace

import pytest

from labkit import draw
from labkit.facts import Mesh, Thing, Variable, View
from tests.pure.made import labels, processes
from tests.pure.pictures import (
    ALONE,
    DELETED,
    GLOBAL,
    HOST,
    LOSS,
    MESHES,
    MISSING,
    ONE_MESH,
    REVERSED,
    STEP,
    TWO,
    TWO_ONE,
    X_ALL,
    Y_ALL,
    A,
    T,
    W,
    X,
    Y,
    keys,
    preview,
)


def said(variable, lab=TWO, **options) -> str:
    return draw.variables(variable, lab, **options).text


def test_an_array_of_its_own_in_each_process():
    assert said(X) == (
        "x  each process has an array of its own\n"
        "  process 0: int32[8]  P('i')  Mesh(i: 4)\n"
        "    p0·d0  A  [0:2]  0 1\n"
        "    p0·d1  B  [2:4]  2 3\n"
        "    p0·d2  C  [4:6]  4 5\n"
        "    p0·d3  D  [6:8]  6 7\n"
        "  process 1: int32[8]  P('i')  Mesh(i: 4)\n"
        "    p1·d0  E  [0:2]  8 9\n"
        "    p1·d1  F  [2:4]  10 11\n"
        "    p1·d2  G  [4:6]  12 13\n"
        "    p1·d3  H  [6:8]  14 15"
    )


def test_the_sum_over_a_local_mesh_differs_between_processes_and_is_no_error():
    text = said(Y)
    assert text.count("12 16") == 4
    assert text.count("44 48") == 4
    assert "A: 4 copies, all equal" in text
    assert "B: 4 copies, all equal" in text
    assert "differ" not in text


def test_one_array_over_all_processes():
    assert said(X_ALL).splitlines()[:3] == [
        "x  one array over 2 processes",
        "  processes 0, 1: int32[16]  P('i')  Mesh(i: 8)",
        "    p0·d0  A  [0:2]    0 1",
    ]


def test_replicas_are_counted_and_compared():
    text = said(Y_ALL)
    assert text.startswith("y  one array over 2 processes; it says it is replicated\n")
    assert text.count("56 64") == 8
    assert text.endswith("    A: 8 copies, all equal")


def test_copies_that_differ_are_said_in_plain_words():
    assert said(A, TWO_ONE) == (
        "a  one array over 2 processes; it says it is replicated, but its copies differ\n"
        "  processes 0, 1: int32[4,8]  P('data', None)  Mesh(data: 1, model: 2)\n"
        "    p0·d0  data 0, model 0  A   [:, :]  0 0 0 0 0 0 0 0\n"
        "                                        0 0 0 0 0 0 0 0\n"
        "                                        0 0 0 0 0 0 0 0\n"
        "                                        0 0 0 0 0 0 0 0\n"
        "    p1·d0  data 0, model 1  A′  [:, :]  1 1 1 1 1 1 1 1\n"
        "                                        1 1 1 1 1 1 1 1\n"
        "                                        1 1 1 1 1 1 1 1\n"
        "                                        1 1 1 1 1 1 1 1\n"
        "    copies differ: A on p0·d0; A′ on p1·d0"
    )


def test_partial_replicas():
    assert said(W).endswith("each slice: 4 copies, all equal")


def test_copies_of_which_only_the_beginning_was_fetched_are_not_called_equal():
    text = said(preview(4096))
    assert text.endswith("A: 8 copies, not compared")
    assert text.count("(8 of 4,096 shown)") == 8


def test_a_name_that_some_processes_do_not_have():
    text = said(MISSING)
    assert text.startswith("x  an array in process 0 alone\n")
    assert text.endswith("\n  process 1 has no name x")


def test_a_name_that_nobody_has():
    assert said(Variable("q", (), (0, 1))) == "q\n  processes 0, 1 have no name q"


def test_an_array_over_a_process_that_told_nothing():
    array = X_ALL.arrays[0]
    seen = tuple(shard for shard in array.shards if shard.device.startswith("p0"))
    part = replace(array, shards=seen)
    text = said(Variable("x", (View((0,), part),), (1,)))
    assert "    not seen: p1·d0-d3\n" in text


def test_an_array_that_lives_on_one_process():
    assert said(ALONE) == (
        "z  an array in process 1 alone\n  process 1: float32[2]\n    p1·d2  A  [:]  1.0 1.0"
    )


def test_a_numpy_array_is_in_the_process_s_own_memory():
    text = said(HOST)
    assert text.startswith("batch  each process has a numpy array in its own memory\n")
    assert "    p1·host  B  [:]  4 5 6 7" in text


def test_a_deleted_array_says_so():
    assert "float32[8]  deleted: its memory was donated or freed" in said(DELETED)


def test_a_scalar():
    assert "    p1·d3  A  scalar  0.5" in said(LOSS)


def test_keys():
    assert "    p1·d3  H  [3:4]  1,3" in said(keys())


def test_things_are_shown_by_type_and_text():
    assert said(STEP) == "step\n  process 0: int 3\n  process 1: int 4"


def test_a_stub_is_something_not_made_yet():
    stub = Variable("last", (View((0, 1), Thing("ellipsis", "Ellipsis")),))
    assert said(stub) == "last\n  processes 0, 1: not made yet"


def test_long_things_are_shortened_with_a_count():
    thing = Variable("s", (View((0, 1), Thing("str", "x" * 500)),))
    assert said(thing).startswith("s\n  processes 0, 1: str xxx")
    assert len(said(thing)) < 120


def test_a_mesh_of_its_own_in_each_process():
    text = said(MESHES)
    assert text.startswith("mesh  each process has a mesh of its own\n  process 0: Mesh(i: 4)\n")
    assert "    p1·d3  i 3" in text


def test_one_mesh_and_where_each_device_stands():
    text = said(ONE_MESH)
    assert text.startswith("mesh  one mesh over 2 processes\n")
    assert "    p1·d2  data 1, model 2" in text


def test_processes_that_hold_different_meshes():
    turned = Mesh(("i",), (8,), tuple(reversed(labels(TWO))))
    text = said(Variable("mesh", (View((0,), GLOBAL), View((1,), turned))))
    assert text.startswith("mesh  the processes do not hold the same mesh\n")


def test_a_mesh_in_another_order_says_where_each_device_stands():
    assert "    p0·d0  i 7  H  [7:8]  7" in said(REVERSED)


def test_what_is_picked_is_said():
    text = said(T, pick=(1, 2))
    assert text.endswith("shown: only [1, 2, …]")
    assert "not in [1, 2, …]" in text


class TestLab:
    def test_says_its_state_and_who_is_there(self):
        assert draw.lab(TWO).text == (
            "lab ready: 2 processes, 8 devices\n"
            "  process 0  p0·d0 p0·d1 p0·d2 p0·d3\n"
            "  process 1  p1·d0 p1·d1 p1·d2 p1·d3"
        )

    def test_says_why_it_is_not_to_be_trusted(self):
        picture = draw.lab(TWO, "unsafe", "process 1 left a psum")
        assert picture.text.startswith("not to be trusted: process 1 left a psum\nlab unsafe: ")
        assert "lk-stripes" in picture.bare

    def test_a_process_that_is_gone_is_dashed_and_says_how(self):
        picture = draw.lab(TWO, "lost", "process 1 is gone", gone={1: "exit status -9"})
        assert "  process 1  not there: exit status -9" in picture.text
        assert picture.bare.count("lk-gone") == 1
        assert 'data-device="p1·d0"' not in picture.bare

    def test_names_machines_when_there_are_several(self):
        lab = [replace(process, host=f"node{process.index}") for process in TWO]
        assert "on node1" in draw.lab(lab).text
        assert ">node1<" in draw.lab(lab).bare

    @pytest.mark.parametrize("state", ["starting", "ready", "running", "waiting", "stopped"])
    def test_shows_its_state_in_words(self, state):
        picture = draw.lab(TWO, state)
        assert re.search(rf">. +{state}<", picture.bare)
        assert picture.text.startswith(f"lab {state}: ")

    def test_shows_all_of_64_devices_within_700_pixels(self):
        svg = draw.lab(processes(8, 8)).bare
        assert svg.count("data-device=") == 64
        assert float(re.search(r'width="([\d.]+)"', svg)[1]) <= 700
