"""A learner in JupyterLab whose cell, or whose explorer's run, hangs: stop, reset, a right psum."""

import json
import re
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.jupyter import SHOTS, JupyterLab, open_notebook
from tests.lab.scenario import SETUP

pytestmark = pytest.mark.timeout(400)

STOP = '[data-jp-item-name="interrupt"]'  # in the notebook's toolbar
QUICK = 5_000  # milliseconds: half a second on a free machine
SLOW = 60_000
BEGIN = "import labkit\nlab = labkit.start()"
PSUM = "%%spmd\nread(total(x))"


def written(lab: JupyterLab, name: str, *sources: str) -> str:
    """A notebook with these cells, in the served folder."""
    cells = [
        {"cell_type": "code", "id": f"cell-{n}", "source": source, "outputs": [], "metadata": {}}
        | {"execution_count": None}
        for n, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    told = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (lab.work / name).write_text(json.dumps(told))
    return name


def cell(tab: Page, number: int) -> Locator:
    return tab.locator(".jp-CodeCell").nth(number)


def run(tab: Page, number: int) -> Locator:
    """Run one cell; gives where its output appears."""
    cell(tab, number).locator(".cm-content").click()
    tab.keyboard.press("Control+Enter")
    return cell(tab, number).locator(".jp-OutputArea")


def ran(tab: Page, number: int) -> Locator:
    """The same, and wait until it has ended."""
    output = run(tab, number)
    prompt = cell(tab, number).locator(".jp-InputPrompt")
    expect(prompt).to_have_text(re.compile(r"\[\d+\]"), timeout=SLOW)
    return output


def test_the_stop_button_ends_a_cell_that_hangs_and_a_reset_makes_it_right(tab, jupyterlab):
    notebook = written(
        jupyterlab,
        "hangs.ipynb",
        BEGIN,
        "%%spmd --setup\n" + SETUP,
        "%%spmd\nif me == 0:\n    y = total(x)\n    y.block_until_ready()",
        PSUM,
        "lab.reset()",
    )
    open_notebook(tab, jupyterlab, notebook)
    ran(tab, 0)
    ran(tab, 1)
    expect(ran(tab, 3)).to_contain_text("[56, 64]")

    hangs = run(tab, 2)
    expect(hangs).to_contain_text("Process 1 never came to what process 0 waits for", timeout=SLOW)
    expect(hangs).to_contain_text("y.block_until_ready()")
    pressed = time.monotonic()
    tab.locator(STOP).click()
    expect(hangs).to_contain_text("was interrupted. lab.reset() makes the lab", timeout=QUICK)
    assert time.monotonic() - pressed < QUICK / 1000
    tab.screenshot(path=SHOTS / "interrupted-cell.png")

    refused = ran(tab, 3)
    expect(refused).to_contain_text("The lab is unsafe, no number may be trusted")
    expect(refused).not_to_contain_text("[56, 64]")
    expect(ran(tab, 4).locator("svg").first).to_be_visible()
    expect(ran(tab, 3)).to_contain_text("[56, 64]")


def test_an_explorer_whose_run_hangs_is_interrupted_reset_and_right_again(tab, jupyterlab):
    notebook = written(
        jupyterlab,
        "explorer.ipynb",
        BEGIN,
        "labkit.explore.psum(lab)",
        "import time\nlab.client[1].apply_async(time.sleep, 600);",
        "lab.state",
    )
    open_notebook(tab, jupyterlab, notebook)
    ran(tab, 0)
    ran(tab, 1)
    explorer = cell(tab, 1)
    stage = explorer.get_by_role("region", name="Stage")
    press = explorer.get_by_role("button")
    explorer.get_by_label("mesh").select_option("global mesh")
    shows_the_sum(stage)
    expect(press.filter(has_text="Reset the lab")).to_be_hidden()

    ran(tab, 2)  # process 1 is busy with something else and will not come
    press.filter(has_text="Run again").click()
    expect(stage).to_contain_text("process 0 waits in line", timeout=SLOW)
    expect(ran(tab, 3)).to_contain_text("waiting")  # the kernel is not blocked
    pressed = time.monotonic()
    press.filter(has_text="Interrupt").click()
    expect(stage).to_contain_text("was interrupted. lab.reset() makes the lab", timeout=QUICK)
    assert time.monotonic() - pressed < QUICK / 1000
    reset = press.filter(has_text="Reset the lab")
    expect(reset).to_be_visible()
    explorer.screenshot(path=SHOTS / "interrupted-explorer.png")
    expect(ran(tab, 3)).to_contain_text("unsafe")

    reset.click()
    shows_the_sum(stage)
    expect(reset).to_be_hidden()
    expect(ran(tab, 3)).to_contain_text("ready")


def shows_the_sum(stage: Locator) -> None:
    after = stage.get_by_role("button", name="After", exact=True)
    expect(after).to_be_visible(timeout=SLOW)
    after.click()
    for process in (0, 1):
        device = stage.locator(f'[data-device="p{process}·d3"]').first
        expect(device).to_contain_text("56 64", timeout=SLOW)
