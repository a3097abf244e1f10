import re
from base64 import b64decode
from xml.etree import ElementTree

import pytest

from labkit import draw
from labkit.facts import Device, Process, Scene
from labkit.widgets.stage import STATIC, Stage

VIEW = "application/vnd.jupyter.widget-view+json"


def scene(title: str = "a", **fields) -> Scene:
    picture = draw.lab([Process(0, 1, (Device(0, 0),), 1)])
    fields = {"caption": f"<{title}> & caption", "alt": picture.text, **fields}
    return Scene(title, picture.unlabelled, **fields)


def test_scenes_are_on_stage_as_plain_data_with_one_source():
    (run,) = Stage([scene("a", source="x = 1", line=1), scene("b", source="x = 1")]).runs
    assert run["source"] == "x = 1"
    assert [(s["title"], s["line"], s["illustration"]) for s in run["scenes"]] == [
        ("a", 1, False),
        ("b", 0, False),
    ]


def test_runs_stand_side_by_side_under_their_titles():
    runs = [{"title": "one", "scenes": [scene()]}, {"title": "two", "scenes": [scene()] * 2}]
    assert [(run["title"], len(run["scenes"])) for run in Stage(runs=runs).runs] == [
        ("one", 1),
        ("two", 2),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scenes": [scene()], "runs": [{}]}, "Given scenes and runs; expected one of them"),
        ({"runs": [{"title": "a"}]}, r"Given a run with \['title'\]; expected its title and"),
        ({"runs": [{"title": "a", "scenes": []}]}, "The run 'a' has no scenes"),
        ({"scenes": ["a"]}, "Given a str; expected a labkit.facts.Scene"),
        ({"scenes": [scene(line=1)]}, "The scene 'a' is at line 1; its source has lines 1 to 0"),
        ({"scenes": [scene(source="x", line=2)]}, "its source has lines 1 to 1"),
        ({"scenes": [scene(source="x"), scene("b", source="y")]}, "'a' and 'b' have different"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(given, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Stage(**given)


def test_other_scenes_keep_the_step_where_there_is_one():
    stage = Stage([scene()] * 5)
    stage.step = 3
    stage.show([scene("b")] * 4, why="out of step")
    assert (stage.step, stage.why) == (3, "out of step")
    stage.show([scene()] * 2)
    assert (stage.step, stage.why) == (1, "")
    stage.show()
    assert (stage.step, stage.runs) == (0, [])


def test_repr_says_where_it_stands():
    assert repr(Stage([scene()] * 5)) == "<Stage: step 1 of 5>"
    assert repr(Stage()) == "<Stage: no scenes yet>"


def bundle(stage: Stage) -> dict:
    return stage._repr_mimebundle_()[0]


def test_a_live_notebook_gets_the_widget():
    stage = Stage([scene()])
    assert bundle(stage)[VIEW]["model_id"] == stage.model_id


def test_where_widgets_do_not_run_captions_and_the_last_picture_stand():
    html = bundle(Stage([scene("a"), scene("b", illustration=True)], why="<lost>"))["text/html"]
    table = ElementTree.fromstring(re.search("<table>.*</table>", html)[0])
    cells = [cell.text for cell in table.iter("td")]
    assert cells == ["1", "a", "<a> & caption", "2", "b (illustration)", "<b> & caption"]
    assert "not to be trusted: &lt;lost&gt;" in html
    assert "<svg" not in html  # views that distrust a notebook would take it out
    assert html.count("<img") == 1


def test_the_static_picture_is_an_image_that_needs_nothing_from_its_page():
    html = bundle(Stage([scene()]))["text/html"]
    alt, data = re.search(
        r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]*)">', html
    ).groups()
    svg = ElementTree.fromstring(b64decode(data))
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert svg.find("{http://www.w3.org/2000/svg}style").text == draw.style()
    assert alt == draw.lab([Process(0, 1, (Device(0, 0),), 1)]).text


def test_text_has_every_scene_in_words():
    runs = [{"title": title, "scenes": [scene("a"), scene("b")]} for title in ("one", "two")]
    text = bundle(Stage(runs=runs, why="lost"))["text/plain"]
    for words in ("not to be trusted: lost", "one", "two", "2. b", "<b> & caption", "p0·d0"):
        assert words in text


def test_an_empty_stage_says_that_there_is_nothing_yet():
    assert "No scenes yet" in bundle(Stage())["text/plain"]
    assert "No scenes yet" in bundle(Stage())["text/html"]


@pytest.mark.parametrize("name", ["stage.js", "stage.css"])
def test_what_the_browser_gets_names_no_other_file_or_host(name):
    text = (STATIC / name).read_text(encoding="utf-8")
    assert not re.search(r"https?:|@import|^import |import\(|url\(|innerHTML", text, re.MULTILINE)
