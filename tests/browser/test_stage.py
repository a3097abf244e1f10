"""The stage on a bare page, opened from a file: no kernel, no server."""

import re

import pytest
from playwright.sync_api import Page, expect

from labkit.facts import Scene
from labkit.widgets.stage import Stage
from tests.browser.bare import write_page

PROGRAM = "x = np.arange(4)\ny = f(x)"
TITLES = ("Local arrays", "Shards", "The sum", "After")


def device(label: str, letter: str, text: str, x: int) -> str:
    return (
        f'<g data-device="{label}" aria-label="{label} holds {letter}: {text}">'
        f'<rect x="{x}" y="40" width="80" height="60" fill="transparent" stroke="currentColor"/>'
        f'<g data-slice="{letter}"><rect x="{x + 8}" y="48" width="64" height="44" '
        f'fill="silver"/><text x="{x + 20}" y="75">{text}</text></g></g>'
    )


def picture(text: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 120" width="300" height="120">'
        '<g data-slice="A"><text x="10" y="20">A</text></g>'
        '<g data-slice="B"><text x="60" y="20">B</text></g>'
        + device("p0·d0", "A", text, 10)
        + device("p1·d0", "B", text, 110)
        + device("p1·d1", "B", text, 210)
        + "</svg>"
    )


def scene(i: int, title: str, word: str = "") -> Scene:
    return Scene(
        title,
        picture(f"{word}{i}"),
        f"Caption {i}{word} <b>&",
        f"Words {i}{word}",
        PROGRAM,
        line=i % 3,
        illustration=title == "The sum",
    )


def scenes(word: str = "") -> list[Scene]:
    return [scene(i, title, word) for i, title in enumerate(TITLES)]


@pytest.fixture
def one(page: Page, tmp_path) -> Page:
    page.goto(write_page(tmp_path, Stage(scenes())))
    return page


def button(page: Page, name: str):
    return page.get_by_role("button", name=name, exact=True)


def at_step(page: Page, step: int, which: int = 0) -> None:
    expect(page.locator(".lk-stage").nth(which)).to_have_attribute("data-step", str(step))


def test_next_and_back_show_the_scenes_in_order(one):
    expect(one.locator(".lk-caption")).to_have_text("Caption 0 <b>&")
    button(one, "Next").click()
    expect(one.locator(".lk-caption")).to_have_text("Caption 1 <b>&")
    assert one.locator(".lk-scene text").all_text_contents() == ["A", "B", "1", "1", "1"]
    button(one, "Back").click()
    at_step(one, 0)


def test_a_caption_is_text_never_markup(one):
    assert one.locator(".lk-caption b").count() == 0


def test_a_picture_that_is_not_svg_is_said_so_and_runs_nothing(page, tmp_path):
    bad = Scene("bad", "<p>no</p><script>window.ran = true</script>", "", "")
    page.goto(write_page(tmp_path, Stage([bad])))
    expect(page.locator(".lk-scene")).to_have_text("This picture could not be read.")
    assert page.evaluate("window.ran") is None


def test_the_ends_are_ends_and_keep_the_focus(one):
    back, forward = button(one, "Back"), button(one, "Next")
    expect(back).to_have_attribute("aria-disabled", "true")
    forward.focus()
    for _ in range(5):
        one.keyboard.press("Enter")
    at_step(one, 3)
    expect(forward).to_have_attribute("aria-disabled", "true")
    expect(forward).to_be_focused()


def test_the_slider_moves_and_says_where_it_stands(one):
    slider = one.get_by_role("slider", name="Step")
    slider.focus()
    one.keyboard.press("ArrowRight")
    at_step(one, 1)
    expect(slider).to_have_attribute("aria-valuetext", "Step 2 of 4: Shards")
    slider.fill("3")
    at_step(one, 3)


@pytest.mark.parametrize(
    ("keys", "step"),
    [("ArrowRight", 1), ("ArrowDown", 1), ("End", 3), ("End ArrowLeft", 2), ("End Home", 0)],
)
def test_keys_step_from_anywhere_on_the_stage(one, keys, step):
    one.locator(".lk-stage").focus()
    for key in keys.split():
        one.keyboard.press(key)
    at_step(one, step)


def test_keys_do_not_reach_the_page_around(one):
    one.evaluate("document.addEventListener('keydown', () => { window.heard = true })")
    one.locator(".lk-stage").focus()
    one.keyboard.press("d")
    assert one.evaluate("window.heard") is None


def test_the_step_list_leads_to_a_step_and_marks_it(one):
    button(one, "The sum").click()
    at_step(one, 2)
    expect(button(one, "The sum")).to_have_attribute("aria-current", "step")
    expect(one.locator(".lk-steps [aria-current]")).to_have_count(1)


def test_a_long_run_shows_one_title_in_place_of_the_list(page, tmp_path):
    page.goto(write_page(tmp_path, Stage([scene(i, f"op {i}") for i in range(40)])))
    expect(page.locator(".lk-steps")).to_have_text("Step 1 of 40: op 0")
    expect(page.locator(".lk-steps button")).to_have_count(0)


def test_an_illustration_is_labelled_and_nothing_else_is(one):
    label = one.get_by_text("illustration", exact=True)
    expect(label).to_have_count(0)
    button(one, "The sum").click()
    expect(label).to_be_visible()


def test_the_current_line_of_the_program_is_marked(one):
    lines = one.get_by_role("list", name="Program").get_by_role("listitem")
    assert lines.all_text_contents() == PROGRAM.split("\n")
    expect(one.locator(".lk-source [aria-current]")).to_have_count(0)
    button(one, "The sum").click()
    expect(lines.nth(1)).to_have_attribute("aria-current", "true")


def test_play_goes_to_the_end_and_stops(one):
    one.clock.install()
    button(one, "Play").click()
    expect(button(one, "Pause")).to_be_visible()
    one.clock.run_for(20_000)
    at_step(one, 3)
    expect(button(one, "Play")).to_be_visible()


def test_pause_and_a_step_by_hand_end_the_play(one):
    one.clock.install()
    for stop in ("Pause", "Next"):
        button(one, "Play").click()
        button(one, stop).click()
        expect(button(one, "Play")).to_be_visible()
    step = one.locator(".lk-stage").get_attribute("data-step")
    one.clock.run_for(20_000)
    at_step(one, int(step))


def test_a_device_under_the_pointer_lights_its_slice_and_a_slice_its_devices(one):
    one.locator("[data-device='p0·d0'] > rect").hover(position={"x": 3, "y": 3})
    assert linked(one) == {"slice A", "device p0·d0"}
    one.locator("[data-slice='B'] > text").first.hover()
    assert linked(one) == {"slice B", "device p1·d0", "device p1·d1"}
    button(one, "Next").hover()
    assert linked(one) == set()


def linked(page: Page) -> set[str]:
    return set(
        page.locator(".lk-linked").evaluate_all(
            "all => all.map(el => el.dataset.device ? 'device ' + el.dataset.device"
            " : 'slice ' + el.dataset.slice)"
        )
    )


def test_the_devices_are_one_tab_stop_with_arrow_keys_between(one):
    first = one.get_by_role("img", name="p0·d0 holds A: 0")
    expect(first).to_have_attribute("tabindex", "0")
    expect(one.locator("[data-device][tabindex='-1']")).to_have_count(2)
    first.focus()
    assert linked(one) == {"slice A", "device p0·d0"}
    one.keyboard.press("ArrowRight")
    expect(one.locator("[data-device='p1·d0']")).to_be_focused()
    at_step(one, 0)


def test_a_device_keeps_the_focus_when_the_step_changes(one):
    one.locator("[data-device='p1·d0']").focus()
    one.evaluate("models[0].set('step', 1)")
    expect(one.locator("[data-device='p1·d0']")).to_be_focused()


def test_the_picture_is_there_in_words(one):
    heard = one.locator(".lk-scene").aria_snapshot()
    assert "Words 0" in heard
    assert 'img "p0·d0 holds A: 0"' in heard
    expect(one.locator("[role=status].lk-caption")).to_be_visible()


def test_two_runs_step_together(page, tmp_path):
    runs = [{"title": "local mesh", "scenes": scenes("l")}]
    runs += [{"title": "global mesh", "scenes": scenes("g")[:2]}]
    page.goto(write_page(tmp_path, Stage(runs=runs)))
    assert page.get_by_role("heading").all_text_contents() == ["local mesh", "global mesh"]
    page.locator(".lk-stage").press("End")
    captions = page.locator(".lk-caption").all_text_contents()
    assert captions == ["Caption 3l <b>&", "Caption 1g <b>&"]  # a shorter run stays at its last


@pytest.mark.parametrize(("width", "columns"), [(1100, 2), (600, 1)])
def test_two_runs_stand_side_by_side_where_there_is_room(page, tmp_path, width, columns):
    page.set_viewport_size({"width": width, "height": 900})
    runs = [{"title": title, "scenes": scenes()} for title in ("one", "two")]
    page.goto(write_page(tmp_path, Stage(runs=runs)))
    lefts = {box["x"] for box in page.locator(".lk-run").evaluate_all(BOXES)}
    assert len(lefts) == columns


BOXES = "all => all.map(el => el.getBoundingClientRect())"


def test_two_stages_on_a_page_do_not_interfere(page, tmp_path):
    page.goto(write_page(tmp_path, Stage(scenes()), Stage(scenes())))
    page.locator(".lk-stage").nth(1).press("ArrowRight")
    at_step(page, 0, which=0)
    at_step(page, 1, which=1)
    assert page.locator("[id]").count() == 0  # an id on a page is one only


def test_new_runs_and_steps_from_python_are_shown(one):
    one.evaluate("models[0].set('step', 3)")
    at_step(one, 3)
    one.evaluate("models[0].set('runs', [{...models[0].get('runs')[0], scenes: []}].slice(1))")
    expect(one.locator(".lk-scene")).to_have_count(0)


def test_the_status_and_the_band_are_said(page, tmp_path):
    stage = Stage(scenes(), why="process 1 did not come", status="running on 2 processes")
    page.goto(write_page(tmp_path, stage))
    expect(page.locator(".lk-why")).to_have_text("not to be trusted: process 1 did not come")
    expect(page.locator(".lk-status")).to_have_text("running on 2 processes")
    page.evaluate("models[0].set('why', ''); models[0].set('status', 'done')")
    expect(page.locator(".lk-why")).to_be_hidden()
    expect(page.locator(".lk-status")).to_have_text("done")


def test_an_empty_stage_has_nothing_to_step(page, tmp_path):
    page.goto(write_page(tmp_path, Stage(status="starting")))
    expect(page.locator(".lk-status")).to_have_text("starting")
    page.locator(".lk-stage").press("ArrowRight")
    at_step(page, 0)


def test_cleanup_leaves_nothing_behind(one):
    one.clock.install()
    button(one, "Play").click()
    one.evaluate("stop[0]()")
    expect(one.locator(".lk-stage")).to_have_count(0)
    heard = one.evaluate("Object.values(models[0].heard).flat().length")
    assert heard == 0
    one.clock.run_for(20_000)
    assert one.evaluate("models[0].get('step')") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(one, scheme):
    one.emulate_media(color_scheme=scheme)
    button(one, "Shards").click()
    for selector in (".lk-caption", ".lk-steps button", ".lk-source code", ".lk-bar button"):
        for ratio in one.locator(selector).evaluate_all(CONTRASTS):
            assert ratio >= 4.5, f"{selector} in {scheme}: {ratio:.1f}"
    ground = one.locator(".lk-stage").evaluate("el => getComputedStyle(el).backgroundColor")
    lightness = sum(int(n) for n in re.findall(r"\d+", ground)[:3])
    assert (lightness > 400) == (scheme == "light")


# WCAG contrast of each element's text; layers are painted, so that any colour syntax will do.
CONTRASTS = """all => {
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (layers) => {
    for (const colour of layers) { brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = (el) => el
    ? [...grounds(el.parentElement), getComputedStyle(el).backgroundColor] : ["white"];
  return all.filter((el) => el.getAttribute("aria-disabled") !== "true").map((el) => {
    const [a, b] = [light(grounds(el)), light([...grounds(el), getComputedStyle(el).color])];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""
