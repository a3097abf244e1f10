"""A learner in JupyterLab: opens a lesson, runs it, and uses what is in it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.jupyter import SHOTS, open_notebook, run_above, run_all

pytestmark = pytest.mark.timeout(400)

DEVICES = [f"p{process}·d{device}" for process in range(2) for device in range(4)]


def cell(tab: Page, code: str) -> Locator:
    return tab.locator(".jp-CodeCell").filter(has_text=code)


def stage_of(explorer: Locator) -> Locator:
    """The stage of an explorer, once its scenes are there."""
    stage = explorer.get_by_role("region", name="Stage")
    stage.scroll_into_view_if_needed()
    expect(stage).to_have_attribute("aria-busy", "false", timeout=30_000)
    expect(stage.get_by_role("list", name="Steps").get_by_role("button")).not_to_have_count(0)
    return stage


def device(stage: Locator, label: str) -> Locator:
    return stage.locator(f'[data-device="{label}"]')


def expect_numbers(stage: Locator, numbers: dict[str, str]) -> None:
    for label, text in numbers.items():
        expect(device(stage, label).first).to_contain_text(text, timeout=20_000)


def keep_pictures(tab: Page, stage: Locator, name: str) -> None:
    """Screenshots for a person to look at, in both themes."""
    for theme in ("Dark", "Light"):
        tab.get_by_role("menuitem", name="Settings", exact=True).click()
        tab.locator(".lm-Menu-itemLabel").get_by_text("Theme", exact=True).hover()
        tab.locator(".lm-Menu-itemLabel").get_by_text(f"JupyterLab {theme}", exact=True).click()
        body = tab.locator("body")
        expect(body).to_have_attribute("data-jp-theme-name", f"JupyterLab {theme}", timeout=30_000)
        tab.set_viewport_size({"width": 1100, "height": 1500})  # the whole stage in one picture
        stage.screenshot(path=SHOTS / f"{name}-{theme.lower()}.png")
        tab.set_viewport_size({"width": 1100, "height": 900})


LOCAL = {label: "12 16" if label.startswith("p0") else "44 48" for label in DEVICES}
GLOBAL = dict.fromkeys(DEVICES, "56 64")


@pytest.mark.parametrize("lesson", ["00_start_here", "05_when_a_process_does_not_arrive"])
def test_a_lesson_runs_without_a_popup(tab, jupyterlab, lesson):
    open_notebook(tab, jupyterlab, f"{lesson}.ipynb")
    run_all(tab, jupyterlab, f"{lesson}.ipynb")
    tab.screenshot(path=SHOTS / f"lesson-{lesson[:2]}.png")
    assert tab.locator(".Toastify__toast, .jp-Dialog").all_text_contents() == []


def test_the_psum_explorer_answers_to_mouse_and_keyboard(tab, jupyterlab):
    lesson = "01_local_and_global_meshes.ipynb"
    open_notebook(tab, jupyterlab, lesson)
    run_all(tab, jupyterlab, lesson)
    explorer = cell(tab, "labkit.explore.psum(lab)")
    stage = stage_of(explorer)

    stage.get_by_role("button", name="After", exact=True).click()
    expect_numbers(stage, LOCAL)
    keep_pictures(tab, stage, "psum-local")

    mesh = explorer.get_by_label("mesh")
    mesh.select_option("global mesh")
    expect_numbers(stage, GLOBAL)
    keep_pictures(tab, stage, "psum-global")

    mesh.focus()
    tab.keyboard.press("ArrowUp")
    expect_numbers(stage, LOCAL)
    stage.focus()
    tab.keyboard.press("Home")
    expect(stage).to_have_attribute("data-step", "0")
    expect(device(stage, "p1·host")).to_contain_text("8 9 10 11 12 13 14 15")
    tab.keyboard.press("ArrowRight")
    expect(stage).to_have_attribute("data-step", "1")
    tab.keyboard.press("End")
    expect(device(stage, "p0·host")).to_contain_text("12 16")
    expect(device(stage, "p1·host")).to_contain_text("44 48")

    mesh.select_option("side by side")
    columns = stage.locator(".lk-run")
    expect(columns).to_have_count(2, timeout=20_000)
    stage.get_by_role("button", name="After", exact=True).click()
    expect_numbers(columns.first, LOCAL)
    expect_numbers(columns.last, GLOBAL)
    keep_pictures(tab, stage, "psum-side-by-side")


def test_the_replicas_explorer_follows_what_each_process_fills_in(tab, jupyterlab):
    lesson = "02_replicas_that_differ.ipynb"
    open_notebook(tab, jupyterlab, lesson)
    explorer = cell(tab, "labkit.explore.replicas(lab)")
    run_above(tab, jupyterlab, lesson, explorer)
    tab.keyboard.press("Shift+Enter")
    stage = stage_of(explorer)

    stage.get_by_role("button", name="What devices hold", exact=True).click()
    expect_numbers(stage, {"p0·d0": "0 0 0 0 0 0 0 0", "p1·d0": "1 1 1 1 1 1 1 1"})
    keep_pictures(tab, stage, "replicas-held")
    stage.focus()
    tab.keyboard.press("ArrowRight")
    expect_numbers(stage, {"p0·d0": "2 2 2 2", "p1·d0": "6 6 6 6"})

    explorer.get_by_label("p1 fills").fill("5")
    tab.keyboard.press("Tab")
    expect_numbers(stage, {"p0·d0": "2 2 2 2", "p1·d0": "42 42 42 42"})  # (5 + 1) · (5 + 2)
    stage.focus()
    tab.keyboard.press("End")
    expect(stage.get_by_role("button", name="Where it went")).to_have_attribute(
        "aria-current", "step"
    )
    keep_pictures(tab, stage, "replicas-result")
