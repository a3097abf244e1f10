"""What to lay out of a variable, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from labkit.draw.arrays.arrangement import Columns, clear
from labkit.draw.arrays.cards import Show, cards, meshes
from labkit.draw.items import Card
from labkit.facts import Process, Variable


@dataclass(frozen=True, eq=False)
class Plan:
    """What to lay out, and how.

    Attributes:
        variable: a name's facts.
        processes: all processes, in order.
        show: how much is shown.
        columns: devices in a row of each box, boxes in a row.
        most: width in pixels.
        gutter: height kept free under each row of devices, for a collective.
    """

    variable: Variable
    processes: Sequence[Process]
    show: Show
    columns: Columns
    most: float
    gutter: float

    @property
    def clear(self) -> bool:
        """Whether every device stands where it stands in its mesh."""
        return all(clear(m, self.processes, self.columns) for m in meshes(self.variable))

    @property
    def flat(self) -> bool:
        """Whether that shows a mesh of two axes or more."""
        return self.clear and any(len(mesh.shape) > 1 for mesh in meshes(self.variable))

    @property
    def slim(self) -> bool:
        """Whether each process is one row of tiles, with its name beside it."""
        rows = max(len(process.devices) for process in self.processes) / self.columns[0]
        return self.show.tile and self.columns[1] == 1 and rows <= 1

    @property
    def scattered(self) -> bool:
        """Whether a mesh over several processes leaves out some of their devices."""
        wide = [mesh for mesh in meshes(self.variable) if not mesh.local]
        return any(
            device.label not in mesh.devices
            for mesh in wide
            for process in self.processes
            for device in process.devices
        )

    @property
    def around(self) -> bool:
        """Whether no mesh over several processes takes only a part of one's devices.

        Then its edge may go around their boxes.
        """
        wide = [set(mesh.devices) for mesh in meshes(self.variable) if not mesh.local]
        each = [{device.label for device in process.devices} for process in self.processes]
        return all(not own & mesh or own <= mesh for mesh in wide for own in each)

    @cached_property
    def cards(self) -> Mapping[str, Card]:
        """Device label → its card."""
        return cards(self.variable, self.processes, self.show)

    @property
    def partial(self) -> bool:
        """Whether some values are left out."""
        return any(card.partial for card in self.cards.values())
