"""Calls that were compared: what counts as a round, what is told apart, the picture of it."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from labkit import draw
from labkit.display.results import Results
from labkit.facts import TimedCall, Timing
from labkit.lab import timing

SLOW = (0.030, 0.031, 0.032, 0.033)
QUICK = (0.010, 0.011, 0.012, 0.013)


def way(expression: str, *laps: tuple[float, ...]) -> TimedCall:
    return TimedCall(expression, dict(enumerate(laps)))


def test_a_round_counts_as_long_as_its_slowest_process():
    two = way("f(x)", (0.1, 0.2, 0.3), (0.3, 0.1, 0.3))
    assert two.rounds == (0.3, 0.2, 0.3)
    assert two.median == 0.3


def test_two_are_apart_where_the_middle_halves_do_not_overlap():
    assert way("f(x)", QUICK).apart(way("g(x)", SLOW))
    assert way("g(x)", SLOW).apart(way("f(x)", QUICK))
    near = way("h(x)", (0.0115, 0.012, 0.0125, 0.013))
    assert not way("f(x)", QUICK).apart(near)
    assert not near.apart(way("f(x)", QUICK))


def test_the_cell_leaves_no_name_behind_and_its_answer_is_sorted_by_process():
    cell = timing.source(["f(x)", "g('a')"], 4)
    assert "=" not in cell
    told = {1: np.array([QUICK, SLOW]), 0: np.array([SLOW, SLOW])}
    found = timing.measured(["f(x)", "g('a')"], Results(told, (), "out of step"))
    assert [list(w.laps) for w in found.ways] == [[0, 1], [0, 1]]
    assert found.ways[0].laps[1] == QUICK
    assert found.why == "out of step"


class TestPicture:
    drawn = draw.measured(Timing((way("f(x)", QUICK), way("g(x)", SLOW), way("h(x)", QUICK))))

    def test_the_text_has_the_numbers_and_holds_all_against_the_first(self):
        assert "f(x): median 12 ms, half of the rounds 11 ms to 12 ms" in self.drawn.text
        assert "g(x): 2.7 times as long as f(x)." in self.drawn.text
        assert (
            "h(x): 1.0 times as long as f(x); boxes overlap: no difference shown."
            in self.drawn.text
        )
        assert "4 rounds in 1 process" in self.drawn.text

    def test_there_is_a_dot_a_round_and_a_scale_from_zero(self):
        root = ElementTree.fromstring(self.drawn.svg)
        dots = [e for e in root.iter() if e.get("class") == "lk-dot"]
        assert len(dots) == 12
        assert "0 ms" in {e.text for e in root.iter() if e.get("class") == "lk-note"}
        assert all(0 < float(dot.get("cx")) < 700 for dot in dots)

    def test_dots_stand_where_their_times_are(self):
        x = [float(at) for at in re.findall(r'class="lk-dot" cx="([\d.]+)"', self.drawn.svg)]
        assert (x[4] - 14) / (x[0] - 14) == pytest.approx(3, rel=0.01)  # 30 ms and 10 ms

    def test_a_round_far_beyond_is_counted_and_not_drawn(self):
        far = draw.measured(Timing((way("f(x)", (*QUICK, *QUICK, 2.0)),)))
        assert far.svg.count('class="lk-dot"') == 8
        assert "1 round beyond" in far.svg

    def test_one_call_alone_is_compared_with_nothing(self):
        assert "times as long" not in draw.measured(Timing((way("f(x)", QUICK),))).text

    def test_what_is_not_to_be_trusted_has_its_band(self):
        marked = draw.measured(Timing((way("f(x)", QUICK),), "out of step"))
        assert "not to be trusted: out of step" in marked.text
        assert "lk-band" in marked.svg
