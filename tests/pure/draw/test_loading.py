from xml.etree import ElementTree

import numpy as np
import pytest

from labkit import draw
from labkit.facts import RowsRead
from labkit.text.loading import rows_text

SVG = "{http://www.w3.org/2000/svg}"
LINES = (
    RowsRead("process 0", (0, 1, 2, 3), 64, 0.0012),
    RowsRead("process 1", (0, 1, 0, 1), 64, 0.5),
    RowsRead("process 2", (), 0, 0.0),
)
SLICES = [0, 0, 1, 1]


def cells(drawn: draw.Picture) -> list[tuple[str, str]]:
    """(letter of the slice, what stands in the cell) of every row that is there."""
    groups = ElementTree.fromstring(drawn.svg).iter(f"{SVG}g")
    return [
        (g.get("data-slice"), g.find(f"{SVG}text").text)
        for g in groups
        if "lk-slice" in g.get("class")
    ]


def test_a_cell_has_the_letter_of_its_rows_slice_or_how_often_it_was_read():
    drawn = draw.load(LINES, SLICES)
    assert cells(drawn) == [
        *(("A", "A"), ("A", "A"), ("B", "B"), ("B", "B")),
        *(("A", "2×"), ("A", "2×")),
    ]


def test_the_words_say_what_the_cells_show():
    assert draw.load(LINES, SLICES).text.splitlines() == [
        "process 0  rows 0-3  64 bytes, 1.2 ms",
        "process 1  rows 0-1 2×  64 bytes, 500 ms",
        "process 2  no rows  0 bytes",
    ]


def test_what_a_device_holds_has_no_cost_and_may_be_of_no_file():
    (line,) = draw.load([RowsRead("p0·d0", (None, 2))], SLICES).text.splitlines()
    assert line == "p0·d0  row 2  1 not of the file"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((3, 1, 2), "rows 1-3"),
        ((0, 2, 2, 3, 3), "rows 0, 2-3 2×"),
        ((5,), "row 5"),
        ((), "no rows"),
    ],
)
def test_rows_in_words(rows, said):
    assert rows_text(rows) == said


@pytest.mark.parametrize("rows", [8, 24])
@pytest.mark.parametrize("most", [440, 600, 700])
def test_a_picture_is_no_wider_than_it_may_be(rows, most):
    images = [np.eye(8)] * rows
    drawn = draw.load([RowsRead("p0·d0", (1,), 100_000, 2.5)], [0] * rows, images, most=most)
    assert float(ElementTree.fromstring(drawn.svg).get("width")) <= most


def test_a_row_that_is_a_picture_is_drawn_above_its_column():
    drawn = draw.load(LINES, SLICES, [np.eye(8)] * 9)
    layers = [p.get("d") for p in ElementTree.fromstring(drawn.svg).iter(f"{SVG}path")]
    assert len(layers) == 4 * 3  # four columns, three greys
    assert all(d.count("M") == 8 for d in layers)  # the diagonal


def test_costs_are_bars_in_proportion_and_words():
    drawn = draw.costs([RowsRead("one", (), 50, 0.001), RowsRead("other", (), 200, 0.002)])
    assert drawn.text.splitlines() == ["one: 50 bytes, 1.0 ms", "other: 200 bytes, 2.0 ms"]
    rects = ElementTree.fromstring(drawn.svg).iter(f"{SVG}rect")
    bars = [float(r.get("width")) for r in rects if r.get("class") in ("lk-work", "lk-chip")]
    assert bars[1] / bars[0] == pytest.approx(4, rel=0.01)
