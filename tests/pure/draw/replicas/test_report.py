"""The report on copies in words and as a picture: the odd leaf, its groups, its block."""

import re
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from labkit import draw
from labkit.display import drawn
from labkit.facts import Copies, Leaf, ReplicaReport
from labkit.text.replicas import title
from labkit.text.tree_rows import rows
from tests.pure.made import processes

TWO = processes(2, 4)
GOOD = Leaf("['b']", (4,), "float32", (), 16, checked=8)


def odd(first=(1, 2), **more):
    value = np.arange(16, dtype=np.float32).reshape(4, 4)
    other = value.copy()
    other[first] = 99
    groups = (("p0·d0", "p0·d1", "p0·d2", "p0·d3", "p1·d0", "p1·d1"), ("p1·d2", "p1·d3"))
    copies = Copies(((0, 4), (0, 4)), groups, first, 1, 93.0, values=(value, other), corner=(0, 0))
    return Leaf("['w']", (4, 4), "float32", (), 64, (replace(copies, **more),), checked=8)


def report(*leaves, name="params", **more):
    return drawn.report(ReplicaReport(name, leaves, 0.04, 800_000_000, **more), TWO)


def test_agreement_in_one_line_with_what_it_took():
    text = repr(report(GOOD))
    assert "params  all copies agree, in 1 leaf" in text
    assert "8 copies compared, 763 MiB hashed in 0.04 s" in text


def test_no_second_copy_is_not_agreement():
    assert "nothing to compare" in repr(report(replace(GOOD, checked=0)))


def test_the_odd_leaf_with_groups_numbers_and_values():
    text = repr(report(GOOD, odd()))
    assert "1 of 2 leaves differs" in text
    assert "= ['b']  float32[4] P()" in text
    assert "≠ ['w']  float32[4,4] P()  differs" in text
    assert "A on p0·d0-d3 p1·d0 p1·d1; A′ on p1·d2 p1·d3" in text
    assert "1 of 16 elements differs, first at [1, 2]" in text
    assert "largest difference 93" in text
    assert re.search(r"A: 6\.0\n\s+A′: 99\.0", text)


def test_what_numbers_do_not_show_is_said():
    text = repr(report(odd(nan_one_sided=2, nan_payload=1, zeros=3, whole=False)))
    for words in ("2 elements NaN in one copy only", "1 element NaN in all, with other bits"):
        assert words in text
    assert "3 elements 0.0 here and -0.0 there" in text
    assert "at least 1 of 16" in text


def test_notes_stand_above_the_tree():
    told = {"note": "computed", "fixed": ("['w']",), "left": ("['v']: deleted",), "why": "torn"}
    text = repr(report(GOOD, **told))
    for words in ("computed", "made equal: params['w']", "not mended: ['v']: deleted", "torn"):
        assert words in text
    assert "torn" in report(GOOD, **told).picture().svg


def test_a_picture_marks_the_leaf_the_devices_and_the_elements():
    svg = report(GOOD, odd()).picture().svg
    assert svg.count('class="lk-band"') == 1
    marks = dict(re.findall(r"<title>(p\d·d\d) holds (A′?)", svg))
    assert len(marks) == 8
    assert {d for d, mark in marks.items() if mark == "A′"} == {"p1·d2", "p1·d3"}
    assert len(re.findall(r"lk-heat[1-4]\"", svg)) == 1
    assert svg.count("lk-heat0") == 15


def test_darker_is_further_apart_and_a_nan_is_darkest():
    value = np.zeros((1, 5), np.float32)
    other = np.array([[0, 1, 4, np.nan, -0.0]], np.float32)
    index = ((0, 1), (0, 5))
    leaf = odd(first=(0, 1), index=index, values=(value, other), corner=(0, 0))
    svg = report(leaf).picture().svg
    assert [int(n) for n in re.findall(r"lk-heat(\d)\"", svg)] == [0, 1, 4, 4, 1]


@pytest.mark.parametrize(
    ("values", "dtype", "index"),
    [
        ((np.array(1.0), np.array(2.0)), "float64", ()),
        ((np.array([True, False]), np.array([True, True])), "bool", ((0, 2),)),
        ((np.zeros((3, 2), "uint32"), np.ones((3, 2), "uint32")), "key<fry>", ((0, 3),)),
        ((np.zeros((1, 2, 3)), np.ones((1, 2, 3))), "float64", ((4, 5), (0, 2), (0, 3))),
        ((np.zeros(3, ml_dtypes.bfloat16), np.ones(3, ml_dtypes.bfloat16)), "bfloat16", ((0, 3),)),
        ((np.array([1j]), np.array([np.nan * 1j])), "complex128", ((0, 1),)),
    ],
    ids=["scalar", "bool", "keys", "3-D", "bfloat16", "complex"],
)
def test_every_kind_of_block_can_be_drawn(values, dtype, index):
    first = tuple(start for start, _ in index)
    corner = first
    copies = Copies(index, (("p0·d0",), ("p1·d0",)), first, 1, values=values, corner=corner)
    leaf = Leaf("", tuple(stop for _, stop in index), dtype, copies=(copies,))
    picture = report(leaf, name="x").picture()
    assert "A′" in picture.svg
    assert "x  1 of 1 leaf differs" in picture.text


def test_a_leaf_without_elements_says_what_is_wrong_with_it():
    lost = Leaf("['s']", (), "str", problem="other value: a in process 0, b in process 1")
    text = repr(report(GOOD, lost))
    assert "≠ ['s']  str  other value: a in process 0, b in process 1" in text


class TestTree:
    def test_a_small_tree_is_shown_leaf_by_leaf(self):
        leaves = [Leaf(f"['layers'][{n}]['w']", checked=2) for n in range(2)]
        assert [row.name for row in rows(leaves)] == ["['layers']", "[0]['w']", "[1]['w']"]

    def test_of_a_large_one_what_agrees_is_folded(self):
        leaves = [Leaf(f"['layers'][{n}]['{k}']", checked=2) for n in range(50) for k in "bw"]
        leaves[41] = replace(leaves[41], problem="deleted")
        names = [(row.depth, row.name, len(row.leaves), row.open) for row in rows(leaves)]
        assert names == [
            (0, "['layers']", 100, True),
            (1, "[0] … [19]", 40, False),
            (1, "[20]", 2, True),
            (2, "['b']", 1, False),
            (2, "['w']", 1, False),
            (1, "[21] … [49]", 58, False),
        ]

    def test_paths_with_attributes_and_dots(self):
        leaves = [Leaf(".params.w", checked=1), Leaf(".params['a.b']", checked=1)]
        assert [row.name for row in rows(leaves)] == [".params", ".w", "['a.b']"]

    def test_a_long_report_is_cut_with_a_count(self):
        leaves = [replace(odd(), path=f"[{n}]") for n in range(100)]
        text = repr(report(*leaves))
        assert "… 40 more rows" in text
        assert "… and 92 more leaves" in text
        assert "… and 97 more leaves in the text form" in report(*leaves).picture().svg


def test_a_leaf_is_called_as_it_would_be_written():
    assert title("params", "['w']") == "params['w']"
    assert title("params, opt", "[1]['m']") == "opt['m']"
    assert title("f(params)", "['w']") == "['w']"
    assert title("x", "") == "x"


def test_it_draws_itself_in_a_notebook():
    bundle = report(GOOD)._repr_mimebundle_()
    assert "<svg" in bundle["text/html"]
    assert "all copies agree" in bundle["text/plain"]


def test_a_report_is_still_the_facts():
    found = report(GOOD, odd())
    assert isinstance(found, ReplicaReport)
    (leaf,) = found.differing
    assert (leaf.path, leaf.first_index, leaf.count, leaf.max_abs_diff) == (
        "['w']",
        (1, 2),
        1,
        93.0,
    )
    assert draw.replicas(found, TWO).text == repr(found)
