from itertools import combinations

import numpy as np
import pytest

from labkit import draw
from labkit.draw.arrays import fit
from labkit.draw.arrays.arrangement import aligned, clear
from labkit.draw.arrays.collective import links
from labkit.draw.arrays.fit import Layouts
from labkit.draw.arrays.mesh_outlines import outlines, places
from labkit.draw.arrays.subject import Subject
from labkit.draw.frame import MARGIN, WIDTH
from labkit.draw.items import Card, Label, Line, Outline, Pill, width
from labkit.draw.layout import Box, placed
from labkit.facts import Mesh
from labkit.text import letters
from labkit.text.letters import Lettered
from tests.pure.made import labels, processes
from tests.pure.pictures import (
    ALL,
    GLOBAL,
    GRID,
    HALF,
    ONE_MESH,
    TWO,
    X_ALL,
    X,
    local_mesh,
    numbers,
    over_all,
)

MOST = WIDTH - 2 * MARGIN


def fitted(variable, lab, most=MOST, gutter=0.0):
    return Layouts(Subject(Lettered(variable), lab)).best(most, gutter)


def lay_out(variable, lab, most=MOST, gutter=0.0):
    plan, node = fitted(variable, lab, most, gutter)
    return plan, list(placed(node))


def around(plan, items):
    at = places(items)
    found = outlines(plan.subject.meshes, at, plan.clear, plan.gutter)
    return at, [(item, box) for item, box in found if isinstance(item, Outline)]


def inside(box: Box, outer: Box, slack: float = 0.01) -> bool:
    wide = box.x >= outer.x - slack and box.right <= outer.right + slack
    return wide and box.y >= outer.y - slack and box.bottom <= outer.bottom + slack


def apart(a: Box, b: Box) -> bool:
    return a.right <= b.x or b.right <= a.x or a.bottom <= b.y or b.bottom <= a.y


@pytest.mark.parametrize("name", ALL)
class TestEveryLayout:
    def test_fits_the_width(self, name):
        _, items = lay_out(*ALL[name])
        assert max(box.right for _, box in items) <= MOST

    def test_no_device_covers_another(self, name):
        _, items = lay_out(*ALL[name])
        boxes = list(places(items).devices.values())
        assert all(apart(a, b) for a, b in combinations(boxes, 2))

    def test_every_device_stands_in_its_process(self, name):
        _, items = lay_out(*ALL[name])
        at = places(items)
        for label, box in at.devices.items():
            assert inside(box, at.processes[int(label[1])])

    def test_no_process_covers_another(self, name):
        _, items = lay_out(*ALL[name])
        assert all(apart(a, b) for a, b in combinations(places(items).processes.values(), 2))

    def test_no_line_of_a_card_is_wider_than_the_card(self, name):
        _, items = lay_out(*ALL[name])
        for card, box in items:
            if isinstance(card, Card):
                assert all(width(line.text, line.kind) < box.w for line in card.lines)

    def test_outlines_hold_the_devices_of_meshes_and_no_others(self, name):
        plan, items = lay_out(*ALL[name])
        at, edges = around(plan, items)
        members = {label for mesh in plan.subject.meshes for label in mesh.devices}
        for label, box in at.devices.items():
            held = any(inside(box, edge) for _, edge in edges)
            assert held == (label in members)


def test_devices_and_processes_keep_their_order():
    _, items = lay_out(X_ALL, TWO)
    at = places(items)
    order = sorted(at.devices, key=lambda label: (at.devices[label].y, at.devices[label].x))
    assert order == labels(TWO)


def test_a_local_mesh_is_one_outline_in_each_process():
    plan, items = lay_out(X, TWO)
    at, edges = around(plan, items)
    assert [item.top for item, _ in edges] == ["i: 4", "i: 4"]
    assert all(inside(edge, at.processes[p]) for p, (_, edge) in enumerate(edges))


def test_a_global_mesh_is_one_outline_around_all_processes():
    plan, items = lay_out(X_ALL, TWO)
    at, [(item, edge)] = around(plan, items)
    assert item.top == "i: 8"
    assert all(inside(box, edge) for box in at.processes.values())


def test_a_mesh_over_some_devices_of_each_process_is_joined_by_a_line():
    plan, items = lay_out(HALF, TWO)
    found = list(outlines(plan.subject.meshes, places(items), plan.clear, 0))
    assert sum(isinstance(item, Outline) for item, _ in found) == 2
    assert sum(isinstance(item, Line) for item, _ in found) == 1


def test_a_mesh_of_some_processes_is_one_outline_with_room_around_them():
    four = processes(4, 1)
    part = Mesh(("data", "model"), (1, 2), ("p0·d0", "p1·d0"))
    plan, node = fitted(over_all("x", numbers(8).reshape(4, 2), part, ()), four)
    at, found = around(plan, list(placed(node)))
    ((outline, box),) = found
    assert (outline.top, outline.left) == ("model: 2", "data: 1")
    assert all(inside(at.processes[p], box) == (p < 2) for p in range(4))
    words = 8  # the axis's name stands on the left edge
    assert inside(box, Box(words, 0, node.w - words, node.h))


def test_devices_stand_as_in_a_mesh_of_two_axes():
    plan, items = lay_out(ONE_MESH, TWO)
    at = places(items).devices
    grid = np.array(GRID.devices).reshape(GRID.shape)
    assert plan.clear
    assert all(len({at[label].y for label in row}) == 1 for row in grid)
    assert all(len({at[label].x for label in column}) == 1 for column in grid.T)
    _, [(item, _)] = around(plan, items)
    assert (item.left, item.top) == ("data: 2", "model: 4")


class TestArrangement:
    def test_a_row_major_mesh_puts_processes_under_each_other(self):
        assert aligned(GRID, TWO) == (4, 1)

    def test_a_mesh_whose_columns_are_processes(self):
        turned = Mesh(("a", "b"), (4, 2), tuple(f"p{p}·d{d}" for d in range(4) for p in range(2)))
        assert aligned(turned, TWO) == (1, 2)

    def test_a_mesh_in_another_order_cannot_be_drawn_in_place(self):
        assert aligned(Mesh(("a", "b"), (2, 4), tuple(reversed(GRID.devices))), TWO) is None

    def test_a_mesh_of_three_axes_has_no_place_on_paper(self):
        cube = Mesh(("a", "b", "c"), (2, 2, 2), GRID.devices)
        assert aligned(cube, TWO) is None
        assert not clear(cube, TWO, (4, 1))

    def test_one_axis_may_wrap(self):
        assert clear(GLOBAL, TWO, (2, 1))

    def test_a_local_mesh_does_not_care_how_processes_stand(self):
        square = Mesh(("a", "b"), (2, 2), local_mesh(0).devices)
        assert clear(square, TWO, (2, 1))
        assert clear(square, TWO, (2, 2))
        assert not clear(square, TWO, (4, 2))


class TestRoom:
    def test_values_are_shortened_only_where_they_do_not_fit(self):
        assert not lay_out(X_ALL, TWO)[0].partial
        wide = over_all("w", numbers(8 * 64).reshape(8, 64), GLOBAL, ("i", None))
        assert lay_out(wide, TWO)[0].partial

    def test_processes_go_under_each_other_before_values_are_left_out(self):
        plan, _ = lay_out(over_all("w", numbers(48).reshape(8, 6), GLOBAL, ("i", None)), TWO)
        assert not plan.partial
        assert plan.columns == (4, 1)

    def test_from_16_devices_on_they_are_tiles(self):
        lab = processes(4, 4)
        of = Mesh(("i",), (16,), tuple(labels(lab)))
        assert lay_out(over_all("x", numbers(16), of, ("i",)), lab)[0].subject.tile
        assert not lay_out(X_ALL, TWO)[0].subject.tile

    def test_a_mesh_that_cannot_stand_in_place_is_written_on_the_devices(self):
        turned = Mesh(("a", "b"), (2, 4), tuple(reversed(GRID.devices)))
        plan, items = lay_out(over_all("x", numbers(8).reshape(2, 4), turned, ("a", "b")), TWO)
        assert not plan.clear
        told = {card.label: card.lines[-1].text for card, _ in items if isinstance(card, Card)}
        assert told["p0·d0"] == "a 1, b 3"
        assert told["p1·d3"] == "a 0, b 0"


class Counted:
    """A function that notes what it is called with."""

    def __init__(self, function):
        self.function, self.calls = function, []

    def __call__(self, *given):
        self.calls.append(given)
        return self.function(*given)


class TestNothingIsMadeTwice:
    """Two variables side by side are tried wide and narrow, crossing groups with other gutters."""

    def calls(self, monkeypatch, module, name):
        counted = Counted(getattr(module, name))
        monkeypatch.setattr(module, name, counted)
        crossing = [GLOBAL.devices[::2], GLOBAL.devices[1::2]]
        wide = over_all("w", numbers(8 * 64).reshape(8, 64), GLOBAL, ("i", None))
        draw.variables([wide, X], TWO, groups=crossing, op="psum")
        return counted.calls

    def test_letters_are_given_once(self, monkeypatch):
        calls = self.calls(monkeypatch, letters, "_of_array")
        assert len({array for array, _ in calls}) == len(calls) == 3

    def test_cards_are_made_once_for_each_room(self, monkeypatch):
        calls = self.calls(monkeypatch, fit, "cards")
        assert len(set(calls)) == len(calls) > len(fit.ROOMS)

    def test_a_layout_is_made_once(self, monkeypatch):
        calls = self.calls(monkeypatch, fit, "layout")
        told = [(plan.subject, id(plan.cards), plan.columns, plan.gutter) for (plan,) in calls]
        assert len({gutter for *_, gutter in told}) == 2
        assert len(set(told)) == len(told)


class TestCollectives:
    def joined(self, groups, variable=X_ALL):
        _, items = lay_out(variable, TWO, gutter=25.0)
        return places(items).devices, links(groups, "psum", places(items).devices)

    def test_a_row_of_devices_hangs_on_one_line(self):
        devices, found = self.joined([GLOBAL.devices])
        drops = [item for item, _ in found if isinstance(item, Line)][:8]
        feet = {line.points[1][1] for line in drops}
        assert {line.points[0][0] for line in drops} == {box.cx for box in devices.values()}
        assert len(feet) == 1
        assert feet.pop() > max(box.bottom for box in devices.values())

    def test_each_group_has_its_name_once(self):
        groups = [local_mesh(0).devices, local_mesh(1).devices]
        _, found = self.joined(groups)
        assert [item.text for item, _ in found if isinstance(item, Pill)] == ["psum", "psum"]

    def test_devices_under_each_other_are_joined_directly(self):
        devices, found = self.joined([("p0·d1", "p1·d1")], ONE_MESH)
        [line] = [item for item, _ in found if isinstance(item, Line)]
        upper, lower = devices["p0·d1"], devices["p1·d1"]
        assert line.points == ((upper.cx, upper.bottom), (lower.cx, lower.y))

    def test_groups_that_cross_hang_on_different_lines(self):
        even, odd = GLOBAL.devices[::2], GLOBAL.devices[1::2]
        _, found = self.joined([even, odd])
        names = [box for item, box in found if isinstance(item, Pill)]
        assert names[0].y != names[1].y


def test_every_text_has_a_known_size():
    for variable, lab in ALL.values():
        _, items = lay_out(variable, lab)
        assert all(width(item.text, item.kind) > 0 for item, _ in items if isinstance(item, Label))
