"""What to lay out of a variable, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from labkit.draw.arrays.arrangement import Columns
from labkit.draw.arrays.subject import Subject
from labkit.draw.items import Card


@dataclass(frozen=True, eq=False)
class Plan:
    """What to lay out, and how.

    Attributes:
        subject: the variable, and what to show of it.
        cards: device label → its card.
        columns: devices in a row of each box, boxes in a row.
        gutter: height kept free under each row of devices, for a collective.
    """

    subject: Subject
    cards: Mapping[str, Card]
    columns: Columns
    gutter: float

    @cached_property
    def clear(self) -> bool:
        """Whether every device stands where it stands in its mesh."""
        return self.subject.clear(self.columns)

    @property
    def flat(self) -> bool:
        """Whether that shows a mesh of two axes or more."""
        return self.clear and any(len(mesh.shape) > 1 for mesh in self.subject.meshes)

    @property
    def slim(self) -> bool:
        """Whether each process is one row of tiles, with its name beside it."""
        rows = max(len(process.devices) for process in self.subject.processes) / self.columns[0]
        return self.subject.tile and self.columns[1] == 1 and rows <= 1

    @property
    def partial(self) -> bool:
        """Whether some values are left out."""
        return any(card.partial for card in self.cards.values())
