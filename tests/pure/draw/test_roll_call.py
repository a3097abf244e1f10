from xml.etree import ElementTree

import pytest

from labkit import draw
from labkit.display.drawn import roll_call
from labkit.facts import Process, ProcessStatus, RollCall
from labkit.text.roll_call import cause
from tests.pure.made import processes

SVG = "{http://www.w3.org/2000/svg}"
WAITS = ProcessStatus(0, "waiting", 4, "y = psum_data(x)", "jit_psum_data", 12.4)
AWAY = [
    ProcessStatus(1, "ended"),
    ProcessStatus(1, "running", 2, "while True: pass"),
    ProcessStatus(1, "failed", how="ZeroDivisionError"),
    ProcessStatus(1, "gone", how="exit status 3"),
    ProcessStatus(1, "idle"),
]


def roll(*rows: ProcessStatus, cell: str = "cell 3") -> RollCall:
    return RollCall(rows, cause(rows), cell)


def root(drawn: draw.Picture) -> ElementTree.Element:
    return ElementTree.fromstring(drawn.svg)


def texts(drawn: draw.Picture) -> list[str]:
    return [text.text for text in root(drawn).iter(f"{SVG}text")]


def boxes(drawn: draw.Picture) -> list[str]:
    """The classes of the process boxes that do not wait."""
    groups = (g.get("class") for g in root(drawn).iter(f"{SVG}g"))
    return [css for css in groups if css.startswith("lk-process")]


def waiting(drawn: draw.Picture) -> int:
    return sum(r.get("class") == "lk-wait" for r in root(drawn).iter(f"{SVG}rect"))


def test_who_waits_is_grey_and_says_where_in_which_program_and_since_when():
    drawn = draw.roll_call(roll(WAITS, AWAY[0]))
    assert waiting(drawn) == 1
    found = texts(drawn)
    assert "…  waits 12 s" in found
    assert {"in line 4", "y = psum_data(x)", "in the program jit_psum_data"} <= set(found)


@pytest.mark.parametrize("row", AWAY, ids=lambda row: row.state)
def test_who_is_not_there_has_a_dashed_box_with_what_it_does_instead(row):
    drawn = draw.roll_call(roll(WAITS, row))
    assert boxes(drawn) == ["lk-process lk-gone" if row.state == "gone" else "lk-process lk-away"]
    words = {
        "ended": "✓  has ended its cell",
        "running": "▶  runs",
        "failed": "▲  its cell failed",
        "gone": "✕  is gone",
        "idle": "○  is idle",
    }
    assert words[row.state] in texts(drawn)
    assert not row.how or row.how in texts(drawn)


def test_states_are_told_apart_without_colour():
    rows = [WAITS, *(ProcessStatus(i, row.state, how=row.how) for i, row in enumerate(AWAY, 1))]
    marks = [t[0] for t in texts(draw.roll_call(roll(*rows))) if t[1:3] == "  "]
    assert marks == ["…", "✓", "▶", "▲", "✕", "○"]


def test_nobody_is_away_while_nobody_waits():
    drawn = draw.roll_call(roll(ProcessStatus(0, "running", 2, "work()"), ProcessStatus(1, "idle")))
    assert boxes(drawn) == ["lk-process", "lk-process"]
    assert waiting(drawn) == 0


def test_the_cause_stands_on_top_and_in_the_words():
    found = roll(WAITS, AWAY[0])
    drawn = draw.roll_call(found)
    assert texts(drawn)[:2] == ["cell 3", found.cause]
    assert drawn.text.splitlines() == [
        "cell 3",
        "Process 1 never came to what process 0 waits for in line 4.",
        "process 0 waits in line 4 (12 s): y = psum_data(x) [jit_psum_data]",
        "process 1 has ended its cell",
    ]
    assert root(drawn).get("aria-label") == drawn.text


def test_who_waits_at_the_end_of_its_cell_says_so():
    drawn = draw.roll_call(roll(ProcessStatus(0, "finishing", seconds=3.0), AWAY[0]))
    assert "at the end of its cell, for work it started" in texts(drawn)


def test_a_long_line_keeps_within_its_box():
    long = "y = " + " + ".join(f"f{i}(x)" for i in range(60))
    drawn = draw.roll_call(roll(ProcessStatus(0, "waiting", 4, long, seconds=3), AWAY[0]))
    (line,) = (text for text in texts(drawn) if text.startswith("y = "))
    assert len(line) <= 45
    assert "…" in line


@pytest.mark.parametrize("number", [1, 2, 3, 8, 64])
def test_it_fits_the_column(number):
    rows = [ProcessStatus(p, "waiting", 4, "y = f(x)", "jit_f", 9.0) for p in range(number)]
    drawn = draw.roll_call(roll(*rows))
    assert float(root(drawn).get("width")) <= 700
    assert waiting(drawn) == number


def test_hosts_are_named_where_there_are_several():
    hosts = [Process(p, 2, (), 2, host=f"host-{p}") for p in range(2)]
    assert "host-1" in texts(draw.roll_call(roll(WAITS, AWAY[0]), hosts))
    same = [Process(p, 2, (), 2, host="host-0") for p in range(2)]
    assert "host-0" not in texts(draw.roll_call(roll(WAITS, AWAY[0]), same))


class TestTheLabsOwn:
    def test_is_a_roll_call_like_any_other(self):
        found = roll_call(roll(WAITS, AWAY[0]), processes(2))
        assert [row.process for row in found] == [0, 1]
        assert found[1] is AWAY[0]
        assert (len(found), found.cell) == (2, "cell 3")
        assert found.cause == roll(WAITS, AWAY[0]).cause

    def test_draws_itself_in_a_notebook_and_is_words_elsewhere(self):
        found = roll_call(roll(WAITS, AWAY[0]), processes(2))
        bundle = found._repr_mimebundle_()
        assert bundle["text/html"].count("<svg") == 1
        assert bundle["text/plain"] == repr(found) == draw.roll_call(found).text


def test_a_roll_call_stands_over_the_columns_in_html_and_words():
    upper = draw.roll_call(roll(WAITS, AWAY[0]))
    both = draw.stacked(upper, draw.Picture("columns", html="<table></table>"))
    html = both._repr_mimebundle_()["text/html"]
    assert html.index("<svg") < html.index("<table>")
    assert both.text == f"{upper.text}\ncolumns"
