import re
from itertools import combinations

import pytest

from labkit import draw
from labkit.text.letters import COLOURS

THEMES = ("light", "dark")
AA = 4.5


def split(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def luminance(colour: tuple[float, ...]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def mix(colour: tuple[float, ...], paper: tuple[float, ...], part: float) -> tuple[float, ...]:
    return tuple(part * c + (1 - part) * p for c, p in zip(colour, paper, strict=True))


def declared(name: str, block: str = "", theme: str = "light") -> tuple[float, ...]:
    """A colour of the style sheet: one hex value, or the light-dark() pair's half."""
    sheet = draw.style()
    sheet = sheet[sheet.index(block) :] if block else sheet
    value = re.search(rf"{name}: ([^;]+);", sheet)[1]
    found = re.findall(r"#[0-9a-f]{6}", value)
    return split(found[0 if len(found) == 1 else THEMES.index(theme)])


def face(number: int, theme: str) -> tuple[float, ...]:
    part = int(re.search(r"color-mix\(in srgb, var\(--lk-c\) (\d+)%", draw.style())[1]) / 100
    colour = declared("--lk-c", f".lk-c{number} ", theme)
    return mix(colour, declared("--lk-paper", theme=theme), part)


def test_the_measure_itself_is_right():
    assert contrast(split("#000000"), split("#ffffff")) == pytest.approx(21)
    assert contrast(split("#777777"), split("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ink", ["--lk-ink", "--lk-muted", "--lk-warn"])
class TestText:
    @pytest.mark.parametrize("ground", ["--lk-paper", "--lk-box"])
    def test_is_readable_on_paper_and_in_boxes(self, theme, ink, ground):
        assert contrast(declared(ink, theme=theme), declared(ground, theme=theme)) >= AA

    @pytest.mark.parametrize("number", range(COLOURS))
    def test_is_readable_on_a_device_of_any_colour(self, theme, ink, number):
        assert contrast(declared(ink, theme=theme), face(number, theme)) >= AA


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("number", range(COLOURS))
def test_a_letter_is_readable_on_its_colour(theme, number):
    block = f".lk-c{number} "
    ink, ground = (declared(name, block, theme) for name in ("--lk-on", "--lk-c"))
    assert contrast(ink, ground) >= AA


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["--lk-band", "--lk-stripe"])
def test_the_warning_is_readable_on_its_stripes(theme, ground):
    assert contrast(declared("--lk-warn", theme=theme), declared(ground, theme=theme)) >= AA


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["--lk-paper", "--lk-box"])
def test_a_mesh_stands_out_from_what_it_surrounds(theme, ground):
    assert contrast(declared("--lk-edge", theme=theme), declared(ground, theme=theme)) >= 3


def test_the_colours_are_okabe_and_itos_and_all_different():
    found = [declared("--lk-c", f".lk-c{number} ") for number in range(COLOURS)]
    okabe_ito = "#e69f00 #56b4e9 #009e73 #f0e442 #0072b2 #d55e00 #cc79a7"
    assert found[:7] == [split(colour) for colour in okabe_ito.split()]
    assert all(a != b for a, b in combinations(found, 2))


def test_jupyterlab_says_dark_or_light_and_the_system_only_without_it():
    sheet = draw.style()
    assert '[data-jp-theme-light="false"] .lk-picture { color-scheme: dark; }' in sheet
    system = sheet[sheet.index("@media (prefers-color-scheme: dark)") :].split("}")[0]
    assert "body:not([data-jp-theme-light]) .lk-picture" in system
    assert "svg.lk-picture:root" in system


def test_every_rule_is_about_pictures_only():
    rules = re.sub(r"/\*.*?\*/|@media[^{]*\{", "", draw.style(), flags=re.S)
    selectors = re.findall(r"([^{}]+)\{", rules)
    assert selectors
    assert all(".lk-" in selector for group in selectors for selector in group.split(","))
