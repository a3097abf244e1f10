"""Whatever a learner writes arrives as text: in every picture, stage, page and lesson's card.

Facts written by hand get a tag, and all that ends one, into each of their texts.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from labkit import draw
from labkit.analysis.divergence import descent
from labkit.analysis.timeline import timeline
from labkit.facts import (
    Copies,
    Failure,
    Help,
    Leaf,
    Mesh,
    Output,
    ProcessStatus,
    ReplicaReport,
    RollCall,
    RowsRead,
    Scene,
    Thing,
    TimedCall,
    Timing,
    Variable,
    View,
)
from labkit.lessons import questions
from labkit.lessons.cards import Card
from labkit.lessons.solution import Solution
from labkit.page.document import document, held
from labkit.page.notebook_html import STAGE, VIEW, Reading, body
from labkit.page.site import write
from labkit.widgets import timeline as timeline_stage
from labkit.widgets.packing import whole
from labkit.widgets.recording import beside
from labkit.widgets.recording import stage as recording_stage
from labkit.widgets.stage import Stage
from tests.pure import pictures
from tests.pure.flown import late
from tests.pure.made import processes
from tests.pure.programs import ONE_OF_EACH, loop
from tests.pure.recorded import psum

TAG = """<script>&"'</script>"""  # it also ends an element that is open
CODE = f"f({TAG!r})"
# What the lab itself writes: labels of devices, and words from a list of its own.
OWN = {"device", "devices", "groups", "sends", "skipped", "state", "by", "kind", "where"}
OWN |= {"dtype", "digest", "digests"}
TWO = processes(2, 4)


def hostile(found: Any) -> Any:
    """The same facts with the tag at the end of every text, also of those that were empty."""
    if isinstance(found, str):
        return found + TAG
    if isinstance(found, tuple):
        return tuple(map(hostile, found))
    if is_dataclass(found):
        names = [item.name for item in fields(found) if item.name not in OWN]
        return replace(found, **{name: hostile(getattr(found, name)) for name in names})
    return found


class Seen(HTMLParser):
    """The tags of some markup, and the texts that arrive between and in them."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.names: set[str] = set()
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}
        self.texts += [value or "" for _, value in attrs]

    def handle_data(self, data):
        self.texts.append(data)


def require_text(markup: str, scripts: int = 0) -> None:
    """No tag but the markup's own, and the learner's is there to be read."""
    seen = Seen(markup)
    assert seen.tags.count("script") == scripts
    assert all(name.replace("-", "").isalpha() for name in seen.names), seen.names
    assert any("<script>" in text for text in seen.texts)  # a long text is cut behind it


def shows(picture: draw.Picture) -> str:
    return picture._repr_mimebundle_()["text/html"]


def variables() -> dict[str, tuple[Variable, tuple]]:
    thing = Variable("t", (View((0,), Thing("Weird", "repr")), View((1,), Thing("Weird", "b"))))
    return {**pictures.ALL, "a repr": (thing, pictures.TWO)}


@pytest.mark.parametrize("name", variables())
def test_names_axes_and_reprs_in_pictures_of_variables(name):
    variable, lab = variables()[name]
    drawn = draw.variables([hostile(variable)], hostile(lab), why=TAG)
    ElementTree.fromstring(drawn.svg)
    require_text(shows(drawn))


def test_a_spec_and_a_dtype_with_brackets():
    mesh = Mesh((TAG,), (2,), ("p0·d0", "p1·d0"))
    one = pictures.over_all("x", np.arange(4), mesh, (TAG,))
    drawn = draw.variables([one, pictures.keys()], pictures.TWO)
    ElementTree.fromstring(drawn.svg)
    require_text(shows(drawn))
    assert any("key<fry>" in text for text in Seen(drawn.svg).texts)


PICTURES: dict[str, Callable[[], draw.Picture]] = {
    "lab": lambda: draw.lab(hostile(TWO), "lost", TAG, {1: TAG}),
    "note": lambda: draw.note(TAG, 400),
    "stacked": lambda: draw.stacked(draw.note(TAG, 400), draw.columns([Output(0, TAG)], TWO)),
    "roll call": lambda: draw.roll_call(roll(), hostile(TWO)),
    "timing": lambda: draw.measured(Timing((TimedCall(CODE, {0: (0.1, 0.2)}),), TAG)),
    "loading": lambda: draw.load([RowsRead(TAG, (0, 1), 64, 0.1)], [0, 1], why=TAG),
    "costs": lambda: draw.costs([RowsRead(TAG, (), 64, 0.1)]),
    "timeline": lambda: draw.timeline(hostile(timeline(late(), TWO)), TWO, why=TAG),
    "descent": lambda: draw.descent(hostile(descent(psum())), TWO),
    "copies": lambda: draw.replicas(report(), TWO),
    **{
        f"step: {name}": lambda step=step: draw.step(hostile(step), TWO)
        for name, step in ONE_OF_EACH.items()
    },
}


def roll() -> RollCall:
    rows = [
        ProcessStatus(0, "waiting", 4, TAG, TAG, 12.4, TAG),
        ProcessStatus(1, "failed", 4, TAG, TAG, 2, TAG),
        ProcessStatus(2, "gone", 4, TAG, TAG, 2, TAG),
    ]
    return RollCall(tuple(rows), TAG, TAG)


def report() -> ReplicaReport:
    one = np.arange(4.0)
    pair, about = (("p0·d0",), ("p1·d0",)), {"values": (one, one + 1), "corner": (0,)}
    copies = Copies(((0, 4),), pair, (1,), 1, 1.0, **about)
    odd = Leaf(f"[{TAG!r}]", (4,), "float64", (TAG,), 32, (copies,), TAG, 2)
    leaves = (odd, replace(odd, path=f".{TAG}", copies=()))
    return ReplicaReport("params", leaves, 0.1, 64, TAG, (TAG,), (TAG,), TAG)


@pytest.mark.parametrize("name", PICTURES)
def test_texts_in_every_other_picture(name):
    drawn = PICTURES[name]()
    if drawn.svg:
        ElementTree.fromstring(drawn.svg)
    require_text(shows(drawn))


FAILED = Failure(TAG, TAG, ((TAG, 1, TAG),), TAG, Help(f"{TAG}: {TAG}", f"`{TAG}`", TAG))


@pytest.mark.parametrize(
    "output",
    [
        Output(0, TAG),
        Output(0, result={"text/plain": TAG}),
        Output(0, error=FAILED),
        Output(0, status=TAG),
        Output(0, displays=({"image/png": f'"{TAG}', "text/plain": TAG},)),
        Output(0, displays=({"image/svg+xml": f"<svg>{TAG}</svg>", "text/plain": TAG},)),
    ],
    ids=["printed", "result", "error", "status", "image", "svg"],
)
def test_what_a_cell_gave(output):
    require_text(draw.columns([output, Output(1, "other")], TWO).html)


def test_why_a_cell_is_not_to_be_trusted():
    require_text(draw.columns([Output(0, "printed")], TWO, why=TAG).html)


STAGES: dict[str, Callable[[], Stage]] = {
    "scenes": lambda: Stage([Scene(TAG, "<svg></svg>", TAG, TAG, TAG, 1, True)], why=TAG),
    "runs": lambda: Stage(runs=[{"title": TAG, "scenes": [Scene(TAG, "<svg></svg>", TAG, TAG)]}]),
    "psum": lambda: recording_stage(hostile(psum())),
    "loop": lambda: recording_stage(hostile(loop())),
    "beside": lambda: beside(hostile(psum()), hostile(loop()), (TAG, TAG)),
    "timeline": lambda: timeline_stage.stage(hostile(timeline(late(), TWO)), TWO, TAG, TAG),
}


@pytest.mark.parametrize("name", STAGES)
def test_titles_captions_words_and_programs_on_a_stage(name):
    stage = STAGES[name]()
    require_text(stage._repr_mimebundle_()[0]["text/html"])
    for svg in (whole(run, scene["svg"]) for run in stage.runs for scene in run["scenes"]):
        ElementTree.fromstring(svg)
        assert "script" not in Seen(svg).tags


@pytest.mark.parametrize("name", STAGES)
def test_a_page_has_no_script_but_its_own(name):
    stage = STAGES[name]()
    require_text(document(TAG, held(stage)), scripts=2)


def outputs() -> list:
    data = {"text/plain": TAG}
    return [
        new_output("stream", name="stdout", text=TAG),
        new_output("error", ename=TAG, evalue=TAG, traceback=[TAG]),
        new_output("execute_result", data),
        new_output("display_data", {"image/png": f'"{TAG}', **data}),
        new_output("display_data", {"image/svg+xml": f"<svg>{TAG}</svg>", **data}),
        new_output("display_data", {VIEW: {"model_id": "box"}, **data}),
    ]


@pytest.mark.parametrize("output", outputs())
def test_every_output_of_a_notebook_on_a_page(output, tmp_path):
    kept = {name: getattr(STAGES["scenes"](), name) for name in ("runs", "step", "status", "busy")}
    widgets = {
        "box": {"children": ["IPY_MODEL_drop", "IPY_MODEL_stage"]},
        "drop": {"description": TAG, "index": 0, "_options_labels": [TAG]},
        "stage": kept | {"why": TAG, "_anywidget_id": STAGE},
    }
    cells = [new_markdown_cell(f"# {TAG}\n\n{TAG} `{TAG}` ![{TAG}]({TAG})")]
    cells += [new_code_cell(text, outputs=[output]) for text in (TAG, f"%%spmd {TAG}\n{TAG}")]
    cells[-1].metadata["tags"] = ["solution"]
    shown = body(new_notebook(cells=cells), Reading(tmp_path, widgets))
    stages = 2 * (VIEW in output.get("data", {}))
    require_text(shown, scripts=stages)


def test_the_index_of_several_pages(tmp_path):
    cells = [new_markdown_cell(f"# {TAG}\n\n{TAG}"), new_code_cell("1")]
    cells[1].outputs = [new_output("stream", name="stdout", text=TAG)]
    for name in ("a", "b&"):
        nbformat.write(new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    for page in write(sorted(tmp_path.glob("*.ipynb")), tmp_path / "site"):
        require_text(page.read_text(), scripts=1)


@pytest.mark.parametrize(
    "card", [Card(TAG, f"`{TAG}`\n{TAG}", "wrong"), Card("head", TAG), Solution(TAG, TAG)]
)
def test_cards_of_lessons(card):
    require_text(card._repr_html_())


def test_a_prediction_before_and_after_it_is_made(monkeypatch):
    monkeypatch.setattr(questions, "committed", {})
    offer = questions.Offer("01.a", (TAG, "other"))
    require_text(offer._repr_mimebundle_()["text/html"])
    _, radio, row = questions._radio(offer).children
    button, said = row.children
    radio.value = TAG
    button.click()
    require_text(said.value)
    again = questions._radio(offer).children[2].children[1]
    require_text(again.value)
