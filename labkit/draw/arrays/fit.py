"""How many values fit, and how many devices and processes stand in a row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from labkit.draw.arrays.arrangement import Columns, arrangements
from labkit.draw.arrays.cards import cards
from labkit.draw.arrays.plan import Plan
from labkit.draw.arrays.subject import Subject
from labkit.draw.arrays.variable import layout
from labkit.draw.layout import Node
from labkit.text.values import Room

ROOMS = (
    Room(8, 16),
    Room(8, 8),
    Room(4, 8, digits=4),
    Room(4, 6, digits=4),
    Room(4, 4, digits=4),
    Room(3, 3, digits=3),
    Room(2, 2, panes=1, digits=3),
)
TALL = 760.0


class Layouts:
    """The layouts of one variable, each made once, when it is first tried.

    How much paper there is decides only which of them is taken. So a narrower picture of the
    variable finds the same ones, and one with more lines under its devices finds their cards.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._tries = list(arrangements(list(subject.meshes), subject.processes))
        self._cards = cache(partial(cards, subject))
        self._made: dict[tuple[Room, bool, Columns, float], tuple[Plan, Node]] = {}

    def best(self, most: float, gutter: float) -> tuple[Plan, Node]:
        """The plan that shows the most values within ``most`` pixels, and its layout.

        Where the devices can stand as they do in a mesh of two axes, they do, also if fewer values
        fit; else as many in a row as fit with all their values.
        """
        spare = None
        for across in dict.fromkeys(wide for wide, _ in self._tries):
            columns = [pair for pair in self._tries if pair[0] == across]
            found = self._richest(columns, most, gutter)
            if found and (not found[0].partial or found[0].flat):
                return found
            spare = spare or found
        return spare or self._laid_out(Room(), False, columns[-1], gutter)  # as nothing fits

    def _richest(
        self, columns: Sequence[Columns], most: float, gutter: float
    ) -> tuple[Plan, Node] | None:
        """The plan with the most room for values that fits with one of the columns."""
        for room in ROOMS[-1:] if self.subject.tile else ROOMS:
            for pair in columns:
                plan, node = self._laid_out(room, not self.subject.clear(pair), pair, gutter)
                if node.w <= most and node.h <= TALL:
                    return plan, node
        return None

    def _laid_out(
        self, room: Room, places: bool, columns: Columns, gutter: float
    ) -> tuple[Plan, Node]:
        tried = room, places, columns, gutter
        if tried not in self._made:
            plan = Plan(self.subject, self._cards(room, places), columns, gutter)
            self._made[tried] = plan, layout(plan)
        return self._made[tried]
