"""A stage with 500 steps against one with a few: first paint, and from a click to the new frame."""

import statistics
from pathlib import Path

from playwright.sync_api import Browser, Page

import labkit.page
from tests.browser.conftest import chromium  # noqa: F401  (a fixture)
from tests.pure.recorded import psum
from tests.pure.widgets.test_recording import random

STEPS, CLICKS = 500, 60
SLOWER = 3.0  # the most that a step may take longer among 500 than among five
FRAME = 10.0  # milliseconds from the click until the new frame is ready to be painted

# Script, style and layout of a step: all that there is to do before the frame can be painted;
# and until the frame after it, which also has the wait for the screen in it.
CLICK = """async (count) => {
  const [back, next] = document.querySelectorAll(".lk-bar button");
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const after = new MessageChannel();
    after.port1.onmessage = done;
    after.port2.postMessage(0);
  }));
  const work = [], frame = [];
  for (let i = 0; i < count; i++) {
    await painted();
    const began = performance.now();
    (i % 2 ? back : next).click();
    document.querySelector(".lk-scene").getBoundingClientRect();
    work.push(performance.now() - began);
    await painted();
    frame.push(performance.now() - began);
  }
  return [work, frame];
}"""

PAINT = """() => new Promise((done) => new PerformanceObserver((list) => {
  const [entry] = list.getEntriesByName("first-contentful-paint");
  if (entry) done(entry.startTime);
}).observe({ type: "paint", buffered: true }))"""


def steps(page: Page, path: Path) -> tuple[float, float, float]:
    """Milliseconds until the first paint, of a step's work, and until its frame is painted."""
    page.goto(path.as_uri())
    painted = page.evaluate(PAINT)
    page.evaluate(CLICK, 10)  # what is compiled at first is not a step's price
    work, frame = page.evaluate(CLICK, CLICKS)
    return painted, statistics.median(work), statistics.median(frame)


def test_a_step_among_many_costs_what_a_step_among_few_costs(chromium: Browser, tmp_path):  # noqa: F811
    few = labkit.page.save(psum(), tmp_path / "few.html")
    many = labkit.page.save(random(STEPS), tmp_path / "many.html")
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    rounds = [(steps(page, few), steps(page, many)) for _ in range(3)]
    page.close()
    floor, tried = (
        [min(values) for values in zip(*side, strict=True)] for side in zip(*rounds, strict=True)
    )
    size = many.stat().st_size / 1e6
    print(f"\n{'':24}{'few steps':>12}{f'{STEPS} steps':>12}{'ratio':>8}   ({size:.1f} MB)")
    for name, a, b in zip(
        ("first paint", "work of a step", "click to frame"), floor, tried, strict=True
    ):
        print(f"{name:24}{a:9.1f} ms{b:9.1f} ms{b / a:8.2f}")
    assert tried[1] < max(SLOWER * floor[1], FRAME)
