import re
from xml.etree import ElementTree

import pytest

from labkit import draw
from labkit.analysis.timeline import timeline
from labkit.text.durations import duration, ticks
from labkit.text.timeline_blocks import Window, blocks
from tests.pure.draw.test_colours import AA, THEMES, contrast, declared
from tests.pure.flown import MS, TWO, late, many, missed, own, swapped, unfinished
from tests.pure.made import processes

SVG = "{http://www.w3.org/2000/svg}"


def picture(flights, lab=TWO, **how) -> draw.Picture:
    return draw.timeline(timeline(flights, lab), lab, **how)


def root(drawn: draw.Picture) -> ElementTree.Element:
    return ElementTree.fromstring(drawn.svg)


def groups(drawn: draw.Picture, css: str) -> list[ElementTree.Element]:
    return [g for g in root(drawn).iter(f"{SVG}g") if css in g.get("class", "").split()]


def texts(element: ElementTree.Element) -> list[str]:
    return [text.text for text in element.iter(f"{SVG}text")]


def lane(drawn: draw.Picture, device: str) -> ElementTree.Element:
    return next(g for g in groups(drawn, "lk-lane") if g.get("data-device") == device)


def slices(element: ElementTree.Element) -> list[str]:
    return [g.get("data-slice") for g in element.iter(f"{SVG}g") if g.get("data-slice")]


def rects(element: ElementTree.Element, css: str) -> list[tuple[float, float]]:
    """(x, width) of the rectangles of a class."""
    found = [r for r in element.iter(f"{SVG}rect") if css in r.get("class").split()]
    return [(float(r.get("x")), float(r.get("width"))) for r in found]


class TestLanes:
    def test_there_is_one_a_device_in_its_processs_box(self):
        drawn = picture(late())
        names = ["p0·d0", "p0·d1", "p1·d0", "p1·d1"]
        assert [g.get("data-device") for g in groups(drawn, "lk-lane")] == names
        assert [g.get("data-process") for g in groups(drawn, "lk-process")] == ["0", "1"]
        assert {"process 0", "process 1", *names} <= set(texts(root(drawn)))

    def test_the_ends_of_one_collective_have_one_letter_on_all_devices(self):
        drawn = picture(swapped())
        assert slices(lane(drawn, "p0·d0")) == ["A", "B"]
        assert slices(lane(drawn, "p1·d1")) == ["B", "A"]

    def test_one_colour_is_one_letter(self):
        spans = [g for g in groups(picture(swapped()), "lk-span") if g.get("data-slice")]
        colours = {(g.get("data-slice"), re.search(r"lk-c\d", g.get("class"))[0]) for g in spans}
        assert sorted(colours) == [("A", "lk-c0"), ("B", "lk-c1")]

    def test_bars_are_as_long_as_they_took_and_lie_where_they_began(self):
        drawn = picture(swapped())  # 4 ms apart, 2 ms long, 6 ms in all
        (a, _), (b, _) = rects(lane(drawn, "p0·d0"), "lk-rim")
        track = lane(drawn, "p0·d0").find(f"{SVG}path").get("d")
        left, right = (float(x) for x in re.findall(r"[ML]([\d.]+) ", track))
        assert a == pytest.approx(left, abs=0.1)
        assert (b - a) / (right - left) == pytest.approx(4 / 6, abs=0.01)


class TestWaiting:
    def test_is_a_part_of_the_bar_and_says_how_long(self):
        drawn = picture(late(by=900, works=100))
        early, other = lane(drawn, "p0·d0"), lane(drawn, "p1·d0")
        ((_, waits),), ((_, whole),) = rects(early, "lk-wait")[:1], rects(early, "lk-rim")
        assert waits / whole == pytest.approx(0.9, abs=0.01)
        assert "psum waits 900 ms" in texts(early)
        assert rects(other, "lk-wait") == []

    def test_is_told_in_a_sentence_that_names_for_whom(self):
        drawn = picture(late(by=1200))
        told = "p0·d0, p0·d1 waited 1.2 s in psum (A, line 3) for process 1."
        assert told in drawn.text.splitlines()
        assert told in " ".join(texts(root(drawn)))

    def test_of_devices_of_one_process_is_for_a_device(self):
        flights = own()[:1]
        late_device = tuple(
            bar if bar.device == "p0·d0" else type(bar)(**{**vars(bar), "start": bar.start + MS})
            for bar in flights[0].bars
        )
        drawn = picture([type(flights[0])(0, flights[0].launches, late_device)])
        assert "p0·d0 waited 1.0 ms in psum (A, line 3) for p0·d1." in drawn.text

    def test_that_goes_on_says_how_many_came(self):
        drawn = picture(unfinished())
        assert "p0·d0, p0·d1 wait 869 ms in psum (B, line 4) for others" in drawn.text
        assert "2 of 4 devices came" in drawn.text
        assert len(groups(drawn, "lk-open")) == 2

    def test_is_not_claimed_where_the_devices_did_not_meet(self):
        text = picture(swapped()).text
        assert "waited" not in text
        assert "psum (A): p0·d0 left 2.0 ms before p1·d0 came." in text
        assert "in different orders" in text

    def test_a_dotted_line_joins_those_who_met(self):
        drawn = picture(late())
        (meet,) = groups(drawn, "lk-meet")
        assert meet.get("data-slice") == "A"
        assert "p1·d0 came last" in meet.find(f"{SVG}title").text
        assert groups(picture(swapped()), "lk-meet") == []


class TestWhoReadsWithKeys:
    def test_hears_of_a_lane_what_was_done_in_it(self):
        drawn = picture(late())
        title = lane(drawn, "p0·d1").find(f"{SVG}title").text
        assert title.startswith("p0·d1  at 0 s psum A 1.0 s (waited 1.0 s for process 1")
        assert title in drawn.text

    def test_hears_of_a_bar_its_program_and_line(self):
        span = lane(picture(late()), "p0·d0").find(f"{SVG}g")
        assert span.find(f"{SVG}title").text.endswith("of jit_step, line 3")


class TestManyOperations:
    def test_are_drawn_together_and_counted(self):
        drawn = picture(many(500))
        assert len(groups(drawn, "lk-span")) == 4
        assert texts(lane(drawn, "p0·d0")) == ["p0·d0", "500 programs"]
        assert "500 programs in 250 ms (500 operations, 500 collectives" in drawn.text
        assert len(drawn.svg) < 20_000

    def test_come_apart_in_a_window(self):
        drawn = picture(many(500), window=(100 * MS, 102 * MS))
        assert slices(lane(drawn, "p0·d0")) == ["GS", "GT", "GU", "GV", "GW"]  # 200 to 204
        assert "from 100 ms to 102 ms" in drawn.text

    def test_are_not_all_listed_in_words(self):
        line = next(x for x in picture(many(30, every=20)).text.splitlines() if "p0·d1" in x)
        assert line.count("psum") == 12
        assert line.endswith("… 18 more")

    def test_that_were_cut_off_are_said(self):
        text = picture(many(30, capped=True)).text
        assert "Process 0 launched very many: only the first are here." in text

    def test_of_which_one_is_long_are_not_all_drawn_together(self):
        found = timeline([*many(20, every=0.5)], TWO)
        window = Window(0, found.length, 600)
        assert [block.alone for block in blocks(found.lanes[0], window)] == [True] * 20


CASES = {
    "late": (late(), TWO),
    "swapped": (swapped(), TWO),
    "unfinished": (unfinished(), TWO),
    "own": (own(), TWO),
    "many": (many(500), TWO),
    "many lanes": (late(), processes(8, 8)),
    "missed": (missed(), TWO),
    "nothing": ([], TWO),
}


class TestEachPicture:
    @pytest.fixture(params=CASES, ids=lambda name: name.replace(" ", "_"))
    def drawn(self, request):
        return picture(*CASES[request.param])

    def test_fits_the_column(self, drawn):
        assert float(root(drawn).get("width")) <= 700

    def test_keeps_every_mark_inside(self, drawn):
        wide, high = float(root(drawn).get("width")), float(root(drawn).get("height"))
        for box in root(drawn).iter(f"{SVG}rect"):
            if box.get("x"):
                x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
                assert x >= 0
                assert x + w <= wide - 8 + 0.2
                assert y + h <= high
        assert "nan" not in drawn.svg

    def test_has_its_words_for_those_who_do_not_see_it(self, drawn):
        assert root(drawn).get("aria-label") == drawn.text
        assert drawn.text.startswith("timeline of ")


def test_what_was_not_recorded_is_dashed_and_says_so():
    drawn = picture(missed())
    assert len(groups(drawn, "lk-unseen")) == 3  # two bars, and the key under the lanes
    assert "not recorded: from its launch to the end of the others" in drawn.text


def test_nothing_recorded_is_said():
    drawn = picture([])
    assert "p0·d0  nothing recorded" in drawn.text
    assert "Nothing ran on the devices, as far as was recorded." in texts(root(drawn))


def test_the_band_says_why_not_to_trust_the_cell():
    drawn = picture(swapped(), why="the processes launched different programs.")
    assert drawn.text.startswith("not to be trusted: the processes launched")
    assert 'class="lk-band"' in drawn.svg


def test_a_source_that_looks_like_markup_stays_text():
    flights = late()
    named = [
        type(f)(
            f.process,
            tuple(type(n)(**{**vars(n), "program": "<b>&"}) for n in f.launches),
            tuple(type(b)(**{**vars(b), "program": "<b>&"}) for b in f.bars),
        )
        for f in flights
    ]
    assert "of <b>&, line 3" in lane(picture(named), "p0·d0")[-1].find(f"{SVG}title").text


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (0, "0 s"), (850, "850 ns"), (1_200, "1.2 µs"), (999_600, "1.0 ms"),
        (586_400_000, "586 ms"), (1_249_000_000, "1.2 s"), (61e9, "61 s"),
    ],
)  # fmt: skip
def test_durations_have_the_unit_that_fits(time, words):
    assert duration(time) == words


@pytest.mark.parametrize(
    ("start", "end", "labels"),
    [
        (0, 858 * MS, ["0 ms", "200 ms", "400 ms", "600 ms", "800 ms"]),
        (0, 1_300, ["0.0 µs", "0.5 µs", "1.0 µs"]),
        (990 * MS, 1_010 * MS, ["0.990 s", "0.995 s", "1.000 s", "1.005 s", "1.010 s"]),
        (0, 12_000 * MS, ["0 s", "5 s", "10 s"]),
    ],
)
def test_the_axis_has_round_times_in_one_unit(start, end, labels):
    assert [label for _, label in ticks(start, end, 5)] == labels


@pytest.mark.parametrize("theme", THEMES)
def test_words_are_readable_where_somebody_waits_or_works(theme):
    ink, muted = declared("--lk-ink", theme=theme), declared("--lk-muted", theme=theme)
    wait, work = declared("fill", ".lk-wait ", theme), declared("--lk-line", theme=theme)
    assert min(contrast(ink, wait), contrast(muted, wait), contrast(ink, work)) >= AA
