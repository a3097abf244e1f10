import re
from xml.etree import ElementTree

import pytest

from labkit import draw
from labkit.facts import Thing, Variable, View
from tests.pure.pictures import ALL, GLOBAL, TWO, TWO_ONE, X_ALL, Y_ALL, A, X

STRUCTURE = {"lk-variable", "lk-process", "lk-device", "lk-slice", "lk-differs"}
STRUCTURE |= {"lk-words", "lk-line-mesh"}
"""What is there to be found, and looks like any other of its kind."""

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script>&'


def drawn(name: str) -> draw.Picture:
    variable, lab = ALL[name]
    return draw.variables(variable, lab)


def tree(picture: draw.Picture) -> ElementTree.Element:
    return ElementTree.fromstring(picture.svg)


def nodes(picture: draw.Picture, css: str) -> list[ElementTree.Element]:
    return [g for g in tree(picture).iter(f"{SVG}g") if css in g.get("class", "").split()]


def texts(node: ElementTree.Element) -> list[str]:
    return [text.text for text in node.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", ALL)
class TestEveryPicture:
    def test_is_sound_svg_within_700_pixels(self, name):
        root = tree(drawn(name))
        assert root.tag == f"{SVG}svg"
        assert float(root.get("width")) <= 700

    def test_is_named_by_its_words(self, name):
        picture = drawn(name)
        assert tree(picture).get("role") == "img"
        assert tree(picture).get("aria-label") == picture.text == repr(picture)

    def test_uses_no_ids_and_nothing_from_elsewhere(self, name):
        svg = drawn(name).bare
        assert not re.search(r'\bid="|url\(|href=|<script|<foreignObject', svg)

    def test_every_mark_is_known_to_the_style_sheet(self, name):
        used = set(" ".join(re.findall(r'class="([^"]+)"', drawn(name).bare)).split())
        assert used <= set(re.findall(r"\.(lk-[a-z0-9-]+)", draw.style())) | STRUCTURE

    def test_shows_each_device_and_slice_once(self, name):
        devices = [g.get("data-device") for g in nodes(drawn(name), "lk-device")]
        slices = [g.get("data-slice") for g in nodes(drawn(name), "lk-slice")]
        assert len(set(devices)) == len(devices)
        assert len(set(slices)) == len(slices)


class TestDevices:
    def test_a_device_says_which_slice_it_holds(self):
        held = {
            g.get("data-device"): g.get("data-slice")
            for g in nodes(draw.variables(X, TWO), "lk-device")
        }
        assert held == dict(zip([*GLOBAL.devices], "ABCDEFGH", strict=True))

    def test_the_strip_has_the_same_slices(self):
        picture = draw.variables(X_ALL, TWO)
        assert [g.get("data-slice") for g in nodes(picture, "lk-slice")] == list("ABCDEFGH")

    def test_equal_slices_have_one_colour(self):
        classes = {g.get("class") for g in nodes(draw.variables(Y_ALL, TWO), "lk-device")}
        assert len(classes) == 1

    def test_a_device_shows_its_own_values_and_its_slice(self):
        for g in nodes(draw.variables(X_ALL, TWO), "lk-device"):
            k = GLOBAL.devices.index(g.get("data-device"))
            letter, label, values, where = texts(g)
            assert (letter, label) == ("ABCDEFGH"[k], GLOBAL.devices[k])
            assert (values, where) == (f"{2 * k} {2 * k + 1}", f"[{2 * k}:{2 * k + 2}]")

    def test_without_values_only_who_holds_what_is_shown(self):
        picture = draw.variables(X_ALL, TWO, values=False)
        assert texts(nodes(picture, "lk-device")[0]) == ["A", "p0·d0", "[0:2]"]
        assert "14 15" not in picture.text

    def test_devices_that_take_no_part_are_marked(self):
        variable, lab = ALL["half the devices"]
        faded = nodes(draw.variables(variable, lab), "lk-outside")
        assert [g.get("data-device") for g in faded] == ["p0·d2", "p0·d3", "p1·d2", "p1·d3"]


class TestCopiesThatDiffer:
    def test_get_a_prime_a_hatch_and_a_word(self):
        first, second = nodes(draw.variables(A, TWO_ONE), "lk-device")
        assert texts(first)[0] == "A"
        assert texts(second)[0] == "A′"
        assert "differs" in texts(second)
        hatched = [p for p in second.iter(f"{SVG}path") if p.get("class") == "lk-hatch"]
        assert len(hatched) == 1
        assert "lk-hatch" not in ElementTree.tostring(first, "unicode")

    def test_keep_the_colour_and_slice_of_what_they_should_be(self):
        first, second = nodes(draw.variables(A, TWO_ONE), "lk-device")
        assert first.get("data-slice") == second.get("data-slice") == "A"
        assert "lk-c0" in first.get("class")
        assert "lk-c0" in second.get("class")

    def test_are_said_in_the_picture(self):
        assert "copies differ: A on p0·d0; A′ on p1·d0" in texts(tree(draw.variables(A, TWO_ONE)))


class TestTrust:
    def test_a_reason_is_a_striped_band(self):
        picture = draw.variables(X, TWO, why="the processes are out of step")
        assert "lk-stripes" in picture.bare
        assert "not to be trusted: the processes are out of step" in texts(tree(picture))
        assert picture.text.startswith("not to be trusted: the processes are out of step\n")

    def test_without_a_reason_there_is_none(self):
        assert "lk-band" not in draw.variables(X, TWO).bare
        assert "trusted" not in draw.variables(X, TWO).text


class TestCollectives:
    def test_are_dotted_named_and_called_an_illustration(self):
        picture = draw.variables(X_ALL, TWO, groups=[GLOBAL.devices], op="psum")
        assert "lk-line-group" in picture.bare
        assert "psum" in texts(tree(picture))
        assert any("illustration" in text for text in texts(tree(picture)))
        assert "psum joins p0·d0-d3 p1·d0-d3 (an illustration)" in picture.text

    def test_are_not_there_unless_asked_for(self):
        assert "lk-line-group" not in draw.variables(X_ALL, TWO).bare


class TestSafety:
    def test_what_a_learner_wrote_is_escaped(self):
        bad = Variable(HOSTILE, (View((0, 1), Thing(HOSTILE, HOSTILE)),))
        picture = draw.variables(bad, TWO, why=HOSTILE, op=HOSTILE)
        html = picture._repr_mimebundle_()["text/html"]
        assert "<script" not in picture.svg + html
        assert HOSTILE in texts(tree(picture))

    def test_two_pictures_on_a_page_do_not_disturb_each_other(self):
        page = (
            f"<div>{draw.variables(A, TWO_ONE).bare}{draw.variables(X, TWO, why='so').bare}</div>"
        )
        assert not [node for node in ElementTree.fromstring(page).iter() if node.get("id")]


class TestPicture:
    def test_stands_alone_with_its_style_and_can_be_had_without(self):
        picture = draw.variables(X, TWO)
        assert f"<style>{draw.style()}</style>" in picture.svg
        assert "<style" not in picture.bare
        assert len(picture.svg) == len(picture.bare) + len(f"<style>{draw.style()}</style>")

    def test_for_a_stage_it_comes_without_its_words(self):
        picture = draw.variables(X, TWO)
        root, bare = map(ElementTree.fromstring, (picture.unlabelled, picture.bare))
        assert bare.attrib.pop("aria-label") == picture.text
        assert ElementTree.tostring(root) == ElementTree.tostring(bare)

    def test_a_notebook_gets_html_and_text(self):
        picture = draw.variables(X, TWO)
        bundle = picture._repr_mimebundle_()
        assert bundle["text/plain"] == picture.text
        assert picture.svg in bundle["text/html"]

    def test_where_svg_and_style_are_taken_away_the_words_remain(self):
        html = draw.variables(X, TWO)._repr_mimebundle_()["text/html"]
        stripped = re.sub(r"<style.*?</style>|<svg.*?</svg>", "", html, flags=re.S)
        assert re.search(r'<pre class="lk-alt" style="font-size:12px">x  each process', stripped)
        assert ".lk-alt { display: none; }" in draw.style()

    def test_is_saved_as_a_file_that_stands_alone(self, tmp_path):
        picture = draw.variables(X, TWO)
        path = picture.save(tmp_path / "x.svg")
        root = ElementTree.parse(path).getroot()
        assert root.find(f"{SVG}style") is not None
        assert root.get("aria-label") == picture.text

    def test_a_table_has_no_svg_to_save(self, tmp_path):
        with pytest.raises(ValueError, match="use its html or its text"):
            draw.Picture("text", html="<table></table>").save(tmp_path / "x.svg")


def test_several_names_stand_side_by_side():
    picture = draw.variables([ALL["own arrays"][0], ALL["own replicas"][0]], TWO)
    names = [g.get("data-variable") for g in nodes(picture, "lk-variable")]
    assert names == ["x", "y"]
    assert float(tree(picture).get("width")) > 600


def test_the_public_names_are_a_style_and_a_kind_of_picture_each():
    kinds = ["columns", "costs", "descent", "lab", "load", "measured", "note", "replicas"]
    kinds += ["roll_call", "stacked", "step", "timeline", "variables"]
    assert sorted(draw.__all__) == sorted(["Picture", "style", *kinds])
