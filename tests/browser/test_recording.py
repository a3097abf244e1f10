"""A recorded program on a bare page: overview, collectives, folds, one value, two side by side."""

import pytest
from playwright.sync_api import Page, expect

from labkit.widgets.recording import beside, stage
from tests.browser.bare import write_page
from tests.browser.test_stage import CONTRASTS, at_step, button
from tests.pure.programs import loop
from tests.pure.recorded import chain, psum
from tests.pure.widgets.test_recording import changed


@pytest.fixture
def scan(page: Page, tmp_path) -> Page:
    """Fifteen scenes: the call, the scan (2), its nine steps, then gt, convert, neg, sqrt."""
    page.goto(write_page(tmp_path, stage(loop())))
    page.locator(".lk-stage").focus()
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def ticks(page: Page, css: str) -> list[int]:
    return page.locator(f".lk-tick.{css}").evaluate_all("all => all.map(el => +el.dataset.at)")


def test_the_overview_shows_every_step_and_marks_collectives(scan):
    expect(scan.locator(".lk-tick")).to_have_count(15)
    assert ticks(scan, "lk-collective") == [2, 5, 8]
    assert ticks(scan, "lk-quiet") == [12]
    expect(scan.locator(".lk-bracket")).to_have_text("scan body")
    slider = scan.get_by_role("slider")  # the strip; the plain slider has gone
    expect(slider).to_have_count(1)
    expect(slider).to_have_attribute("aria-valuetext", "Step 1 of 15: the call of run")


def test_loops_and_noise_are_folded_until_they_are_wanted(scan):
    press(scan, "ArrowRight", "ArrowRight")
    at_step(scan, 11)  # behind the scan
    press(scan, "ArrowRight")
    at_step(scan, 13)  # the convert is left out
    press(scan, "ArrowLeft", "ArrowLeft")
    button(scan, "Unfold").click()
    press(scan, "ArrowRight")
    at_step(scan, 2)
    button(scan, "Fold").click()
    at_step(scan, 1)
    press(scan, "a", "ArrowRight", "End", "ArrowLeft", "ArrowLeft")
    at_step(scan, 12)
    expect(button(scan, "All steps")).to_have_attribute("aria-pressed", "true")


def test_the_next_collective_is_found_inside_a_fold_too(scan):
    press(scan, "c")
    at_step(scan, 2)
    expect(button(scan, "Fold")).to_be_visible()
    press(scan, "c", "c", "c")
    at_step(scan, 8)
    button(scan, "Previous collective").click()
    at_step(scan, 5)
    press(scan, "Shift+C")
    at_step(scan, 2)


def test_a_click_in_the_overview_leads_to_the_step(scan):
    scan.locator(".lk-tick").nth(12).click()
    at_step(scan, 12)
    scan.locator(".lk-bracket").click()
    at_step(scan, 1)


def test_a_value_is_followed_through_the_program(scan):
    press(scan, "End")
    scan.locator(".lk-named", has_text="c2").click()
    expect(scan.locator(".lk-watching")).to_have_text(
        "c2: made in step 2, 10, read in 11, 12, 14, 15"
    )
    assert ticks(scan, "lk-made") == [1, 9]
    assert ticks(scan, "lk-read") == [10, 11, 13, 14]
    assert scan.locator(".lk-of.lk-watched").count() == 4  # sqrt ran on four devices
    press(scan, "Shift+V", "Shift+V", "Shift+V")
    at_step(scan, 10)
    button(scan, "Next step with it").click()
    at_step(scan, 11)
    press(scan, "Escape")
    expect(scan.locator(".lk-watching")).to_be_hidden()
    assert ticks(scan, "lk-read") == []


def test_a_value_can_be_chosen_with_the_keyboard(scan):
    press(scan, "End")
    name = scan.get_by_role("button", name="Watch c2")
    name.focus()
    press(scan, "Enter")
    expect(name).to_have_attribute("aria-pressed", "true")
    press(scan, "Space")
    expect(name).to_have_attribute("aria-pressed", "false")
    press(scan, "Enter", "ArrowLeft")  # the focus is still on the stage
    at_step(scan, 13)
    expect(name).to_have_attribute("aria-pressed", "true")


def test_the_part_of_the_line_is_marked_and_only_that(scan):
    expect(scan.locator("mark")).to_have_count(0)
    press(scan, "c")
    expect(scan.locator("mark")).to_have_text('jax.lax.psum(x, "y")')
    expect(scan.locator("li[aria-current]")).to_have_text(
        '    carry = carry + jax.lax.psum(x, "y")'
    )
    press(scan, "End")
    expect(scan.locator("mark")).to_have_text("jnp.sqrt")


def test_what_every_device_reads_and_gives_is_said(scan):
    press(scan, "c")
    expect(scan.get_by_role("img", name="p1·d3 H x0 7.0 I s0 22.0")).to_be_visible()
    heard = scan.locator(".lk-heard").text_content()
    assert "s0 is equal along y and varies along x" in heard
    caption = scan.locator(".lk-caption").inner_text()
    assert "psum over y: 2 groups of 4 devices; each gives 4 B, at least 6 B leave it." in caption


def test_two_recordings_stand_at_their_first_difference(page, tmp_path):
    page.goto(write_page(tmp_path, beside(psum(), changed())))
    at_step(page, 3)
    assert ticks(page, "lk-parted") == [3]
    assert page.locator(".lk-run").count() == 2
    press_on = page.locator(".lk-stage")
    press_on.press("Home")
    at_step(page, 0)
    button(page, "First difference").click()
    at_step(page, 3)
    page.locator(".lk-named", has_text="v2").first.click()
    assert ticks(page, "lk-made") == [2]


def test_five_hundred_steps_fit_into_the_overview(page, tmp_path):
    page.goto(write_page(tmp_path, stage(chain(500))))
    strip = page.locator(".lk-ticks").bounding_box()
    last = page.locator(".lk-tick").last.bounding_box()
    assert last["x"] + last["width"] <= strip["x"] + strip["width"] + 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_of_a_recording_stand_out_from_their_ground(scan, scheme):
    scan.emulate_media(color_scheme=scheme)
    press(scan, "c", "a")
    scan.locator(".lk-named").first.click()
    for selector in (".lk-tools button", ".lk-watching", ".lk-source mark", ".lk-bracket"):
        ratios = scan.locator(selector).evaluate_all(CONTRASTS)
        assert ratios
        for ratio in ratios:
            assert ratio >= 4.5, f"{selector} in {scheme}: {ratio:.1f}"
