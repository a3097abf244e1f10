"""One variable that is to be drawn: what is the same in every layout that is tried for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from labkit.draw.arrays.arrangement import Columns, clear
from labkit.draw.frame import MARGIN, WIDTH
from labkit.facts import Array, Mesh, Process, Variable
from labkit.text.letters import Lettered

TILES = 16
"""From so many devices on they are drawn small."""

Groups = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Options:
    """What to show of variables, and on how much paper.

    Attributes:
        pick: leading indices of the pane to show of arrays above 2-D; empty for all.
        values: whether values are shown at all.
        groups: device labels that one collective joins, group by group.
        op: the collective's name.
        width: the most the picture may be wide, in pixels.
    """

    pick: tuple[int, ...] = ()
    values: bool = True
    groups: Groups = ()
    op: str = ""
    width: float = WIDTH

    @property
    def inside(self) -> float:
        """The width within the frame."""
        return self.width - 2 * MARGIN


@dataclass(frozen=True, eq=False)
class Subject:
    """What one panel of a picture is of.

    Attributes:
        lettered: a name's facts, with the letters of its slices.
        processes: all processes, in order.
        options: what to show of it.
    """

    lettered: Lettered
    processes: Sequence[Process]
    options: Options = Options()

    @property
    def variable(self) -> Variable:
        """The name's facts."""
        return self.lettered.variable

    @property
    def labels(self) -> list[str]:
        """All devices, in order."""
        return [device.label for process in self.processes for device in process.devices]

    @property
    def groups(self) -> Groups:
        """The devices that a collective joins; none where there is no array to be exchanged."""
        return self.options.groups if self.variable.arrays else ()

    @cached_property
    def meshes(self) -> Mapping[Mesh, tuple[int, ...]]:
        """The different meshes of the name, or of its arrays, and the processes that hold each."""
        found: dict[Mesh, tuple[int, ...]] = {}
        for view in self.variable.views:
            mesh = view.value.mesh if isinstance(view.value, Array) else view.value
            if isinstance(mesh, Mesh):
                found[mesh] = found.get(mesh, ()) + view.processes
        return found

    @property
    def wide(self) -> list[Mesh]:
        """The meshes over several processes."""
        return [mesh for mesh in self.meshes if not mesh.local]

    @property
    def tile(self) -> bool:
        """Whether devices are tiles."""
        return len(self.labels) >= TILES

    @cached_property
    def scattered(self) -> bool:
        """Whether a mesh over several processes leaves out some of their devices."""
        return any(not set(self.labels) <= set(mesh.devices) for mesh in self.wide)

    @property
    def around(self) -> bool:
        """Whether no mesh over several processes takes only a part of one's devices.

        Then its edge may go around their boxes.
        """
        each = [{device.label for device in process.devices} for process in self.processes]
        wide = [set(mesh.devices) for mesh in self.wide]
        return all(not own & mesh or own <= mesh for mesh in wide for own in each)

    def clear(self, columns: Columns) -> bool:
        """Whether every device stands where it stands in its mesh."""
        return all(clear(mesh, self.processes, columns) for mesh in self.meshes)
