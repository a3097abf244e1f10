"""Pages: what a notebook's cells become, and that a page needs nothing but itself."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import nbformat
import pytest

import labkit.page
from labkit import draw
from labkit.cli.command import main
from labkit.errors import LabError
from labkit.facts import Scene
from labkit.page.document import document, held
from labkit.page.notebook_html import Reading, body, code, title
from labkit.page.site import write
from labkit.widgets.recording import stage
from labkit.widgets.stage import Stage
from tests.pure.notebooks import OUTPUTS, SVG, TEXT, WIDGETS, notebook
from tests.pure.recorded import psum
from tests.pure.widgets.test_recording import random


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "sum.svg").write_text(SVG)
    nbformat.write(notebook(), tmp_path / "07_lesson.ipynb")
    return tmp_path


@pytest.fixture
def html(folder) -> str:
    return body(notebook(), Reading(folder, WIDGETS))


def shown(name: str) -> str:
    """What the outputs of one cell become."""
    found = notebook()
    found.cells = [cell for cell in found.cells if cell.source == f"# {name}"]
    assert found.cells[0].outputs == OUTPUTS[name]
    return body(found, Reading(Path(), WIDGETS)).partition("</pre>")[2].strip()


def test_a_page_of_a_recording_is_small_and_names_no_other_file(tmp_path):
    path = labkit.page.save(random(50), tmp_path / "f.html")
    text = path.read_text()
    assert path.stat().st_size < 300_000
    assert "<title>f(x)</title>" in text
    assert not re.search(r"(?:src|href)=\"(?!data:)|url\(|@import|import\(", text)


def test_a_stage_becomes_a_page_too(tmp_path):
    path = labkit.page.save(Stage([Scene("a", "<svg/>", "words", "alt")]), tmp_path / "a.html")
    assert '"caption":"words"' in path.read_text()


def test_only_the_pages_own_script_may_run_and_nothing_be_fetched():
    page = document("a", held(stage(psum())))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["img-src"] == "data:"


def test_no_text_of_a_learner_ends_the_data_of_a_stage():
    bad = Scene("</script><b>", "<svg/>", "<!--", "alt", source="</script>")
    text = held(Stage([bad]))
    data = re.search(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    assert json.loads(data)["runs"][0]["source"] == "</script>"
    assert json.loads(data)["runs"][0]["scenes"][0]["title"] == "</script><b>"


def test_without_scripts_the_steps_are_there_in_words():
    assert (
        "v2 = psum(v1)" in re.search("<noscript>.*</noscript>", held(stage(psum())), re.DOTALL)[0]
    )


def test_text_is_text_links_lead_to_pages_and_images_are_inside(html):
    assert title(notebook()) == "07 · A lesson"
    assert "<h1>07 · A lesson</h1>" in html
    assert '<a href="08_next.html#b">' in html
    assert '<a href="https://docs.jax.dev">' in html
    assert f'src="data:image/svg+xml;base64,{b64encode(SVG.encode()).decode()}"' in html
    assert "<script>window" not in html


def test_an_image_that_is_not_there_is_left_out(tmp_path):
    assert 'src="data:,"' in body(notebook(), Reading(tmp_path))


@pytest.mark.parametrize(
    ("name", "becomes"),
    [
        ("print", '<div class="lk-output"><pre class="">red &lt;b&gt;</pre></div>'),
        ("fail", '<div class="lk-output"><pre class="lk-failed">E: no</pre></div>'),
        ("plain", '<div class="lk-output"><pre class="">array([1 &lt; 2])</pre></div>'),
        ("figure", '<img alt="" src="data:image/png;base64,iVBORw0KGgo=">'),
        ("predict", "<pre>( ) 12</pre>"),
        ("gone", "a widget"),
    ],
)
def test_each_kind_of_output_has_a_form(name, becomes):
    assert becomes in shown(name)


def test_pictures_leave_their_style_sheet_to_the_page():
    assert draw.style() in OUTPUTS["picture"][0]["data"]["text/html"]
    assert "<svg" in shown("picture")
    assert draw.style() not in shown("picture")


def test_a_recording_steps_and_an_explorer_says_that_its_controls_need_a_kernel():
    assert shown("recorded").count('class="lk-model"') == 1
    assert "need a kernel. They were set to mesh: global." in shown("explorer")
    assert shown("explorer").count('class="lk-model"') == 1
    assert "Run again" not in shown("explorer")


def test_code_has_its_magic_apart_and_a_solution_is_folded(html):
    assert '<span class="lk-magic">%%spmd</span>' in html
    assert '<span class="c1"># one</span>' in html
    assert re.search(
        r"<details><summary>Solution</summary><pre.*07\.1.*</details>", html, re.DOTALL
    )
    assert code("a < b").count("&lt;") == 1


def test_a_notebook_with_outputs_is_not_run_again(folder):
    (page,) = write([folder / "07_lesson.ipynb"])
    assert page == folder / "07_lesson.html"
    assert page.read_text().count('class="lk-model"') == 2


def test_several_notebooks_get_an_index(folder):
    nbformat.write(notebook(), folder / "08_next.ipynb")
    files = sorted(folder.glob("*.ipynb"))
    pages = list(write(files, folder / "site"))
    assert [page.name for page in pages] == ["07_lesson.html", "08_next.html", "index.html"]
    index = pages[-1].read_text()
    assert '<a href="07_lesson.html">07 · A lesson</a>' in index
    assert "What is <code>x</code>?" in index
    assert '<a href="index.html">' in pages[0].read_text()


@pytest.mark.parametrize("name", ["nothing.ipynb", "text.ipynb"])
def test_what_is_no_notebook_is_refused(tmp_path, name, capsys):
    (tmp_path / "text.ipynb").write_text("hello")
    with pytest.raises(LabError, match=r"expected a notebook"):
        list(write([tmp_path / name]))
    assert main(["page", str(tmp_path / name)]) == 1
    assert name in capsys.readouterr().err


def test_the_command_says_what_it_wrote(folder, capsys):
    out = folder / "out.html"
    assert main(["page", str(folder / "07_lesson.ipynb"), "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"Wrote {out}\n"
    assert TEXT[2:15] in out.read_text()
