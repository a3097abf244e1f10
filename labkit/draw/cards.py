"""From a variable to one card a device: the letter, the values and the slice it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from labkit.draw.boxes import Node
from labkit.draw.items import Card, width
from labkit.draw.letters import Held, cuts, held
from labkit.draw.text import block_lines
from labkit.draw.values import Block, Room, block
from labkit.draw.words import coordinates, slice_text
from labkit.facts import Array, Mesh, Process, Variable, host_label

TILE = 36.0
"""Width and height of a tile, in pixels."""


@dataclass(frozen=True)
class Show:
    """How much a picture shows.

    Attributes:
        pick: leading indices of the pane to show of arrays above 2-D.
        values: whether values are shown at all.
        room: how much of a shard there is room for.
        tile: devices as tiles.
        places: whether each card says where in the mesh its device stands.
    """

    pick: tuple[int, ...] = ()
    values: bool = True
    room: Room = Room()
    tile: bool = False
    places: bool = False


def cards(variable: Variable, processes: Sequence[Process], show: Show) -> dict[str, Card]:
    """Device label → its card, also ``"p0·host"`` where a process holds a numpy array."""
    holders = held(cuts(variable))
    arrays = {shard.device: array for array in variable.arrays for shard in array.shards}
    meshes = mesh_of_device(variable)
    labels = [device.label for process in processes for device in process.devices]
    hosts = (host_label(process.index) for process in processes)
    labels += [label for label in hosts if label in holders]
    return {
        label: _card(label, holders.get(label), arrays.get(label), meshes.get(label), show)
        for label in labels
    }


def meshes(variable: Variable) -> list[Mesh]:
    """The different meshes of a variable: its own, or those of its arrays."""
    found = [view.value for view in variable.views if isinstance(view.value, Mesh)]
    found += [array.mesh for array in variable.arrays if array.mesh]
    return list(dict.fromkeys(found))


def mesh_of_device(variable: Variable) -> dict[str, Mesh]:
    """Device label → the first mesh it stands in."""
    return {label: mesh for mesh in reversed(meshes(variable)) for label in mesh.devices}


def _card(
    label: str, holds: Held | None, array: Array | None, mesh: Mesh | None, show: Show
) -> Card:
    place = _place(mesh, label) if mesh and show.places else ()
    if holds is None or array is None:
        return Card(label, outside=mesh is None, small=place, title=label, tile=show.tile)
    shown = block(holds.shard, array, show.room, show.pick) if show.values else Block()
    card = Card(label, holds.mark, holds.cut.letter, holds.cut.colour, holds.cut.differ)
    lines = tuple(block_lines(replace(shown, note="")))
    where = slice_text(holds.cut.index, array.shape)
    small = tuple(text for text in (where, *place, shown.note) if text != "[]" and text)
    title = "\n".join((f"{label} holds {holds.mark} = {where}", *lines, *small[1:]))
    if show.tile:
        lines, small = _first(lines), ()
    return replace(card, values=lines, small=small, title=title, tile=show.tile)


def _place(mesh: Mesh, label: str) -> tuple[str, ...]:
    at = zip(mesh.axis_names, coordinates(mesh, label), strict=True)
    return (", ".join(f"{name} {index}" for name, index in at),)


def _first(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The first value, if a tile has room for it."""
    words = [word for line in lines for word in line.split() if not word.startswith("[")]
    return tuple(word for word in words[:1] if width(word, "tile") < TILE - 4)


def card_node(card: Card) -> Node:
    """The card with the room its texts need."""
    if card.tile:
        return Node(TILE, TILE, card)
    head = width(card.mark or " ", "code") + 14 + width(card.label, "small")
    lines = [width(text, "value") for text in card.values]
    lines += [width(text, "small") for text in card.small]
    height = 30 + 17 * len(card.values) + 15 * len(card.small) + (4 if card.small else 0)
    return Node(max([head, *lines]) + 16, height, card)
