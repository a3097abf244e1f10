"""A recorded step as a picture and in words."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from labkit import draw
from labkit.draw.recording.previews import previews
from labkit.facts import Collective, Step, Value
from labkit.text.letters import alike
from labkit.text.recording import agreement, collective_words, equation
from tests.pure.made import processes
from tests.pure.programs import COLUMNS, DOWN, ONE_OF_EACH, RING, V, collective, loop, ring, wide
from tests.pure.recorded import GRID, ROWS, each, psum, value

TWO = processes(2, 4)
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"8 × 8": (8, 8), "4 × 4": (4, 4), "4 × 2": (4, 2), "1 × 8": (1, 8), "8 × 1": (8, 1)}
ALL = {name: (step, TWO) for name, step in ONE_OF_EACH.items()}
ALL |= {name: (wide(*shape), processes(*shape)) for name, shape in SHAPES.items()}


def tree(step: Step, lab=TWO, **how) -> ElementTree.Element:
    return ElementTree.fromstring(draw.step(step, lab, **how).bare)


def devices(root: ElementTree.Element) -> dict[str, list[str]]:
    """Device label → the texts in its column."""
    marked = [group for group in root.iter(f"{SVG}g") if group.get("data-device")]
    return {g.get("data-device"): [t.text for t in g.iter(f"{SVG}text")] for g in marked}


def test_every_device_shows_what_it_reads_and_what_it_gives():
    shown = devices(tree(psum().steps[1]))
    assert shown["p0·d0"] == ["p0·d0", "A", "v1", "0 2", "I", "v2", "24 32"]
    assert shown["p1·d3"] == ["p1·d3", "H", "v1", "28 30", "J", "v2", "88 96"]


@pytest.mark.parametrize("name", ALL)
def test_all_that_is_drawn_lies_in_the_picture(name):
    step, lab = ALL[name]
    root = tree(step, lab)
    wide, high = float(root.get("width")), float(root.get("height"))
    assert wide <= 600
    for box in boxes(root, 0, 0):
        assert -0.5 <= box[0] <= box[2] <= wide + 0.5, box
        assert -0.5 <= box[1] <= box[3] <= high + 0.5, box


def boxes(element, x, y):
    """(left, top, right, bottom) of every rectangle and of every point of a path."""
    moved = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    x, y = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
    if element.tag == f"{SVG}rect" and not element.get("width").endswith("%"):
        left, top, w, h = (float(element.get(key)) for key in ("x", "y", "width", "height"))
        yield x + left, y + top, x + left + w, y + top + h
    elif element.tag == f"{SVG}path" and element.get("class", "").startswith(("lk-line", "lk-tip")):
        for px, py in re.findall(r"([-\d.]+) ([-\d.]+)", element.get("d")):
            yield (x + float(px), y + float(py)) * 2
    for child in element:
        yield from boxes(child, x, y)


@pytest.mark.parametrize("name", ALL)
def test_no_two_devices_overlap(name):
    step, lab = ALL[name]
    look = [g for g in tree(step, lab).iter(f"{SVG}g") if g.get("data-device")]
    found = []
    for group in look:
        parts = list(boxes(group, 0, 0))
        lefts, tops, rights, bottoms = zip(*parts, strict=True)
        found.append((min(lefts), min(tops), max(rights), max(bottoms)))
    for i, a in enumerate(found):
        for b in found[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_equal_values_have_equal_letters_whichever_value_they_belong_to():
    step = ring()
    letters, (read,), (gave,) = alike(step), step.reads, step.gives
    for sender, to in RING:
        assert letters[gave, to] == letters[read, sender]
    assert len({letters[read, device] for device in GRID.devices}) == 8


def test_a_result_may_be_called_what_its_operand_is_called():
    one, two = (value("carry", each(lambda n, k=k: np.int32([n + k]))) for k in (0, 100))
    shown = devices(tree(Step(0, "add", reads=(one,), gives=(two,), mesh=GRID)))
    assert shown["p0·d1"] == ["p0·d1", "B", "carry", "1", "J", "carry", "101"]


def test_what_is_not_known_to_be_equal_has_letters_of_its_own():
    held = each(lambda n: np.zeros(2, "float32"))
    part = Value("x", (100,), "float32", held, complete=False)
    assert len(set(alike(Step(0, "abs", gives=(part,))).values())) == 8


def test_equal_bytes_of_other_types_are_not_equal_values():
    one = value("a", each(lambda n: np.zeros(1, "int32")))
    two = value("b", each(lambda n: np.zeros(1, "float32")))
    letters = alike(Step(0, "convert", reads=(one,), gives=(two,)))
    assert letters[one, "p0·d0"] != letters[two, "p0·d0"]


def test_a_device_that_did_not_run_says_so_and_shows_no_value():
    step = loop().steps[-2]
    shown = devices(tree(step))
    assert shown["p1·d0"] == ["p1·d0", "c2", "b0", "did not run"]
    assert shown["p0·d0"] == ["p0·d0", "A", "c2", "18.0", "B", "b0", "-18.0"]
    assert "did not run on p1·d0-d3" in draw.step(step, TWO).text


def flows(root) -> list[ElementTree.Element]:
    return [g for g in root.iter(f"{SVG}g") if g.get("class") == "lk-flow"]


@pytest.mark.parametrize("groups", [ROWS, COLUMNS, (GRID.devices,)])
def test_a_collective_has_lines_for_each_group_and_bytes_at_each_device(groups):
    root = tree(collective("psum", groups, ("x",)))
    assert len(flows(root)) == len(groups)
    texts = [text.text for flow in flows(root) for text in flow.iter(f"{SVG}text")]
    assert texts.count("8 B") == 8
    assert texts.count("psum") == len(groups)


@pytest.mark.parametrize("sends", [RING, DOWN])
def test_a_permutation_has_an_arrow_from_each_sender_to_its_receiver(sends):
    root = tree(ring(sends))
    (flow,) = flows(root)
    spots = {g.get("data-device"): g for g in root.iter(f"{SVG}g") if g.get("data-device")}
    width = float(next(spots["p0·d0"].iter(f"{SVG}rect")).get("width"))
    middle = {
        device: float(re.match(r"translate\((\S+) ", spot.get("transform"))[1]) + width / 2
        for device, spot in spots.items()
    }
    lines = [p for p in flow.iter(f"{SVG}path") if "lk-line" in p.get("class")]
    ends = [[float(x) for x, _ in re.findall(r"([\d.]+) ([\d.]+)", p.get("d"))] for p in lines]
    assert len(ends) == 8
    for (sender, to), points in zip(sends, ends, strict=True):
        assert points[0] == pytest.approx(middle[sender], abs=0.2)
        assert points[-1] == pytest.approx(middle[to], abs=0.2)


def test_an_arrow_stands_only_where_each_device_works_for_itself():
    whole, tips = psum().steps[0], lambda root: root.findall(f".//{SVG}path[@class='lk-tip']")
    assert len(tips(tree(whole))) == 8
    assert tips(tree(whole, apart=False)) == []


def test_sixteen_devices_and_more_are_tiles_with_a_panel_a_value():
    root = tree(wide(), processes(8, 8))
    tiles = [g for g in root.iter(f"{SVG}g") if "lk-tiled" in g.get("class", "")]
    assert len(tiles) == 2 * 64
    assert {tile.get("data-value") for tile in tiles} == {"v", "v1"}


def test_the_words_hold_every_value_on_every_device():
    text = draw.step(psum().steps[1], TWO).text
    assert "v2 = psum(v1)" in text
    assert "psum over y: 2 groups of 4 devices; each gives 8 B, at least 12 B leave it" in text
    assert "together: p0·d0-d3\ntogether: p1·d0-d3" in text
    assert "v2 is equal along y and varies along x" in text
    for device, held in psum().steps[1].gives[0].held.items():
        a, b = held.ravel()
        assert re.search(rf"  {device}  [IJ]  {a} {b}\n?", text)


def test_many_operands_are_counted():
    many = tuple(replace(V, name=f"p{n}") for n in range(7))
    step = Step(0, "tree", reads=many, gives=(V,), mesh=GRID)
    assert equation(step) == "v = tree(p0, p1, p2, p3, … 3 more)"
    assert "… 3 more" in draw.step(step, TWO).svg


@pytest.mark.parametrize(
    ("array", "lines"),
    [
        (np.float32(1.5), ("1.5",)),
        (np.arange(4), ("0 1 2 3",)),
        (np.arange(8) * 1000, ("[0 1000 2000", " 3000 4000 5000", " 6000 7000]")),
        (np.arange(16).reshape(4, 4), (" 0  1  2  3", " ⋮  ⋮  ⋮  ⋮", "12 13 14 15")),
        (np.ones((2, 50), "float32"), ("1.0 1.0 … 1.0", "1.0 1.0 … 1.0")),
    ],
)
def test_values_are_shown_as_far_as_there_is_room(array, lines):
    array = np.asarray(array)
    shown = Value("x", array.shape, str(array.dtype), {"p0·d0": array})
    assert previews(shown, 115)["p0·d0"] == lines


@pytest.mark.parametrize(
    ("equal", "varies", "words"),
    [
        (("x",), ("y",), "v is equal along x and varies along y"),
        ((), ("x", "y"), "v varies along x and y"),
        (("x", "y"), (), "v is the same on every device"),
    ],
)
def test_where_a_value_is_equal_is_said_in_words(equal, varies, words):
    same = dict.fromkeys(GRID.devices, "one")
    found = Value("v", (), "float32", equal=equal, varies=varies, digests=same)
    assert agreement(found) == words


def test_equal_in_each_process_is_not_the_same_everywhere():
    digests = {device: device[:2] for device in GRID.devices}
    found = Value("v", (), "float32", equal=("i",), digests=digests)
    assert agreement(found) == "v is equal along i"


@pytest.mark.parametrize(
    ("collective", "words"),
    [
        (
            Collective("psum", ("x", "y"), (GRID.devices,)),
            "psum over x and y: one group of 8 devices",
        ),
        (
            Collective("all-reduce", (), (("a",), ("b", "c"))),
            "all-reduce: 2 groups of 1 and 2 devices",
        ),
        (Collective("x"), "x: the groups are not known"),
    ],
)
def test_who_takes_part_is_said_in_words(collective, words):
    assert collective_words(collective) == words


def outlines(root: ElementTree.Element) -> int:
    return len(root.findall(f".//{SVG}path[@class='lk-mesh']"))


def test_a_mesh_is_one_outline_or_one_in_each_process():
    step = collective("psum", ROWS, ("i",))
    own = replace(GRID, axis_names=("i",), shape=(4,), devices=ROWS[0])
    assert outlines(tree(step)) == 1
    assert outlines(tree(replace(step, mesh=own))) == 2
    alone = replace(V, held={device: V.held[device] for device in ROWS[0]})
    assert outlines(tree(Step(0, "abs", reads=(alone,), mesh=own))) == 1


def test_a_device_outside_of_the_mesh_says_so():
    some = replace(V, held={device: V.held[device] for device in ("p0·d0", "p1·d0")})
    pair = replace(GRID, axis_names=("i",), shape=(2,), devices=("p0·d0", "p1·d0"))
    shown = devices(tree(Step(0, "abs", reads=(some,), mesh=pair)))
    assert shown["p0·d3"] == ["p0·d3", "takes no part"]
    assert shown["p0·d0"] == ["p0·d0", "A", "v", "0.0 0.0"]
