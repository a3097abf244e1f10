import re

import pytest

from labkit.analysis.timeline import timeline
from labkit.display import drawn
from labkit.facts import Flight
from labkit.widgets.timeline import MOST, NOBODY, scenes, stage
from tests.pure.flown import MS, TWO, late, many, own, swapped

CELL = "import time\nif me: time.sleep(1)\ny = f(x)\n"


def made(flights=None, source: str = CELL):
    return scenes(timeline(late() if flights is None else flights, TWO), TWO, source)


def test_the_whole_cell_comes_first_then_each_collective_by_its_letter():
    whole, near = made()
    assert (whole.title, near.title) == ("the whole cell", "psum A")
    assert whole.caption == "p0·d0, p0·d1 waited 1.0 s in psum (A, line 3) for process 1."
    assert "p0·d0 came first, p1·d0 last, 1.0 s later. It took 3.0 ms" in near.caption


def test_a_collectives_scene_is_at_its_line_and_shows_the_moment_when_all_had_come():
    whole, near = made()
    assert (whole.line, near.line) == (0, 3)
    assert "from 994 ms to 1.0 s" in near.alt


def test_a_line_that_the_source_has_not_is_not_pointed_at():
    assert made(source="y = f(x)")[1].line == 0


def test_a_cell_with_very_many_collectives_has_scenes_for_those_that_waited_longest():
    flights = many(40, every=20)
    long = flights[1].bars[2 * 30].start  # the thirty-first psum
    moved = tuple(
        bar if bar.run_id != 130 else type(bar)(**{**vars(bar), "start": long + MS // 5})
        for bar in flights[1].bars
    )
    found = made([flights[0], Flight(1, flights[1].launches, moved)])
    assert len(found) == 1 + MOST
    assert "psum AE" in [scene.title for scene in found]


def test_what_fills_most_of_the_cell_is_not_shown_twice():
    assert len(made(swapped())) < 3
    assert [scene.title for scene in made(late(by=1, works=100))] == ["the whole cell"]


def test_who_did_not_wait_is_said_too():
    assert made(own())[0].caption == NOBODY


def test_what_the_caption_says_does_not_stand_in_the_picture_too():
    for scene in made():
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", scene.svg)
        assert "psum waits 1.0 s" in texts
        assert not any("waited" in text for text in texts)


def test_pictures_fit_beside_nothing_else():
    for scene in made():
        assert 'width="660"' in scene.svg
        assert "aria-label" not in scene.svg  # the words stand beside it, once


def test_a_stage_takes_them_and_says_why_not_to_trust():
    on = stage(timeline(swapped(), TWO), TWO, CELL, "out of step.")
    assert on.why == "out of step."
    assert on.runs[0]["scenes"][0]["title"] == "the whole cell"


class TestInANotebook:
    @pytest.fixture
    def picture(self):
        return drawn.timeline(timeline(late(), TWO), TWO, CELL, "")

    def test_it_is_a_widget_with_the_still_picture_behind_it(self, picture, monkeypatch):
        monkeypatch.setattr("labkit.display.drawn.in_notebook", lambda: True)
        data, _ = picture._repr_mimebundle_()
        assert "application/vnd.jupyter.widget-view+json" in data
        assert "<svg" in data["text/html"]
        assert data["text/plain"] == picture.text

    def test_elsewhere_it_is_a_picture(self, picture):
        assert set(picture._repr_mimebundle_()) == {"text/plain", "text/html"}
        assert repr(picture).startswith("timeline of 1.0 s")
