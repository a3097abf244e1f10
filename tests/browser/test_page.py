"""Pages opened from disk with the network off: they step, and ask nobody for anything."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

import labkit.page
from labkit.page.site import write
from tests.browser.test_stage import at_step, button
from tests.pure.notebooks import SVG, notebook
from tests.pure.recorded import psum


@pytest.fixture
def offline(chromium: Browser):
    """A tab without a network, which keeps what was asked for and what went wrong."""
    context = chromium.new_context(offline=True, viewport={"width": 900, "height": 900})
    page = context.new_page()
    page.set_default_timeout(5_000)
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    files = [url for url in asked if not url.startswith("data:")]
    context.close()
    assert errors == []
    assert files
    assert all(url.startswith("file:///") and url.endswith(".html") for url in files), files


def test_a_saved_recording_steps_without_a_network(offline: Page, tmp_path):
    offline.goto(labkit.page.save(psum(), tmp_path / "psum.html").as_uri())
    expect(offline).to_have_title("f(x)")
    offline.locator(".lk-stage").press("c")
    at_step(offline, 2)
    expect(offline.locator("[data-device='p1·d3']")).to_contain_text("88 96")
    offline.locator(".lk-named", has_text="v1").click()
    expect(offline.locator(".lk-watching")).to_have_text("v1: made in step 2, read in 3")


def test_no_script_but_the_pages_own_runs(chromium: Browser, tmp_path):
    path = labkit.page.save(psum(), tmp_path / "psum.html")
    injected = "<script>window.ran = 1</script><img src='data:,' onerror='window.ran = 2'>"
    path.write_text(path.read_text().replace("<main", injected + "<main"))
    page = chromium.new_page()
    page.goto(path.as_uri())
    expect(page.locator(".lk-stage")).to_be_visible()
    assert page.evaluate("window.ran") is None
    page.close()


@pytest.fixture
def site(tmp_path) -> Path:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "sum.svg").write_text(SVG)
    for name in ("07_lesson", "08_next"):
        nbformat.write(notebook(), tmp_path / f"{name}.ipynb")
    list(write(sorted(tmp_path.glob("*.ipynb")), tmp_path / "site"))
    return tmp_path / "site"


def test_a_site_of_lessons_leads_from_page_to_page_and_steps(offline: Page, site: Path):
    offline.goto((site / "index.html").as_uri())
    offline.get_by_role("link", name="07 · A lesson").first.click()
    expect(offline.get_by_role("heading", level=1)).to_have_text("07 · A lesson")
    assert offline.locator("img").first.evaluate("el => el.naturalWidth") == 9
    stages = offline.locator(".lk-stage")
    expect(stages).to_have_count(2)
    stages.last.press("c")
    at_step(offline, 2, which=1)
    at_step(offline, 0, which=0)
    offline.get_by_role("link", name="the next").click()
    assert offline.url.endswith("/08_next.html#b")
    offline.get_by_role("link", name="All lessons").click()
    assert offline.url.endswith("/index.html")


@pytest.mark.parametrize("width", [700, 380])
def test_a_page_is_no_wider_than_its_window(offline: Page, site: Path, width: int):
    offline.set_viewport_size({"width": width, "height": 900})
    offline.goto((site / "07_lesson.html").as_uri())
    assert offline.evaluate("document.documentElement.scrollWidth <= innerWidth")
    solution = offline.get_by_text("Solution", exact=True)
    expect(offline.get_by_text("%%solution 07.1")).to_be_hidden()
    solution.click()
    expect(offline.get_by_text("%%solution 07.1")).to_be_visible()
    expect(button(offline, "Next").first).to_be_visible()
