"""From a variable to one card a device: the letter, the values and the slice it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from labkit.draw.items import LINE, TILE, Card, Label, width
from labkit.draw.layout import Node, even
from labkit.facts import Array, Mesh, Process, Variable
from labkit.text.arrays import block_lines
from labkit.text.letters import Held, cuts, held
from labkit.text.values import Block, Room, blocks
from labkit.text.words import place_words, slice_text

ROOM = Room()


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
    room: Room = ROOM
    tile: bool = False
    places: bool = False


def cards(variable: Variable, processes: Sequence[Process], show: Show) -> dict[str, Card]:
    """Device label → its card, also ``"p0·host"`` where a process holds a numpy array."""
    labels = [device.label for process in processes for device in process.devices]
    found = list(meshes(variable))
    made = {label: _empty(label, found, show) for label in labels}
    for array, group in zip(variable.arrays, cuts(variable), strict=True):
        shown = blocks(array, show.room, show.pick) if show.values else {}
        for label, holds in held((group,)).items():
            block = shown.get(label, Block())
            made[label] = _full(holds, array, block, made.get(label, Card(label)))
    silent = any(not array.deleted for array in variable.arrays)
    return {label: _unseen(card) if silent else card for label, card in made.items()}


def meshes(variable: Variable) -> dict[Mesh, tuple[int, ...]]:
    """The different meshes of a variable, or of its arrays, and the processes that hold each."""
    found: dict[Mesh, tuple[int, ...]] = {}
    for view in variable.views:
        mesh = view.value.mesh if isinstance(view.value, Array) else view.value
        if isinstance(mesh, Mesh):
            found[mesh] = found.get(mesh, ()) + view.processes
    return found


def _empty(label: str, found: Sequence[Mesh], show: Show) -> Card:
    around = [mesh for mesh in found if label in mesh.devices]
    lines = tuple(Label(place_words(mesh, label), "small") for mesh in around if show.places)
    return Card(label, outside=not around, lines=lines, title=label, tile=show.tile)


def _unseen(card: Card) -> Card:
    """Says so where an array should be, but no process told what is there."""
    if card.mark or card.outside:
        return card
    told = () if card.tile else (Label("not seen", "small"),)
    return replace(card, lines=card.lines + told, title=f"{card.title}: not seen")


def _full(holds: Held, array: Array, block: Block, empty: Card) -> Card:
    """The card of a device that holds a shard; ``empty`` has its place in the mesh."""
    where = slice_text(holds.cut.index, array.shape) if array.shape else ""
    lines = [*_values(block), *(Label(where, "small"),) * bool(where), *empty.lines]
    lines += [Label(block.note, "small")] * bool(block.note)
    lines += [Label("differs", "alarm")] * bool(holds.variant)
    return replace(
        empty,
        mark=holds.mark,
        slice=holds.cut.letter,
        colour=holds.cut.colour,
        differs=holds.variant > 0,
        partial=bool(block.note),
        outside=False,
        lines=_first(lines) if empty.tile else tuple(lines),
        title="\n".join([f"{empty.label} holds {holds.mark}", *(line.text for line in lines)]),
    )


def _values(shown: Block) -> Iterator[Label]:
    for line in block_lines(replace(shown, note="")):
        yield Label(line, "pane" if line.startswith("[") else "value")


def _first(lines: Sequence[Label]) -> tuple[Label, ...]:
    """The first value."""
    words = [word for line in lines if line.kind == "value" for word in line.text.split()]
    return tuple(Label(word, "tile") for word in words[:1])


def card_nodes(made: Sequence[Card]) -> list[Node]:
    """A node for each card, all of the size that the fullest needs."""
    if any(card.tile for card in made):
        return [Node(TILE, TILE, card) for card in _roomy(made)]
    return even([card_node(card) for card in made])


def _roomy(made: Sequence[Card]) -> list[Card]:
    """The tiles, without values if one of them has no room for its own."""
    wide = any(width(line.text, "tile") > TILE - 4 for card in made for line in card.lines)
    return [replace(card, lines=()) for card in made] if wide else list(made)


def card_node(card: Card) -> Node:
    """The card with the room its texts need."""
    head = width(card.mark or " ", "code") + 12 + width(card.label, "small")
    wide = [head, *(width(line.text, line.kind) for line in card.lines)]
    return Node(max(wide) + 14, 31 + sum(LINE[line.kind] for line in card.lines), card)
