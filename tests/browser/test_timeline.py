"""A timeline on the stage: its letters link the ends of a collective, its steps zoom."""

import pytest

from labkit.analysis.timeline import timeline
from labkit.widgets.timeline import stage
from tests.browser.bare import write_page
from tests.pure.flown import TWO, late, many


@pytest.fixture
def on_stage(page, tmp_path):
    def show(flights):
        made = stage(timeline(flights, TWO), TWO, "import time\nif me: time.sleep(1)\ny = f(x)")
        page.goto(write_page(tmp_path, made))
        return page

    return show


def test_pointing_at_one_end_of_a_collective_leaves_its_other_ends_lit(on_stage):
    page = on_stage(many(4, every=20))
    page.locator('[data-device="p0·d0"] [data-slice="B"]').hover()
    lit = page.locator(".lk-span.lk-linked")
    assert lit.evaluate_all("all => all.map((el) => el.dataset.slice)") == ["B"] * 4
    assert page.locator(".lk-meet.lk-linked").count() == 1
    faded = page.locator('[data-device="p1·d1"] [data-slice="A"]')
    page.wait_for_function("el => getComputedStyle(el).opacity < 0.5", arg=faded.element_handle())


def test_a_step_zooms_to_the_moment_when_all_had_come_at_its_line(on_stage):
    page = on_stage(late())
    page.get_by_role("button", name="Next").click()
    assert "p1·d0 last, 1.0 s later" in page.locator(".lk-caption").inner_text()
    assert page.locator("[aria-current=true] code").inner_text() == "y = f(x)"
    axis = page.locator("svg .lk-note").all_text_contents()
    assert any(label.startswith("1.000") for label in axis)


def test_arrow_keys_go_from_lane_to_lane_and_say_what_ran_there(on_stage):
    page = on_stage(late())
    page.locator('[data-device="p0·d0"]').focus()
    page.keyboard.press("ArrowDown")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name.startswith("p0·d1  at 0 s psum A 1.0 s")
