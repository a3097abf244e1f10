"""From a variable to one card a device: the letter, the values and the slice it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from labkit.draw.arrays.subject import Subject
from labkit.draw.items import LINE, TILE, Card, Label, width
from labkit.draw.layout import Node, even
from labkit.facts import Array
from labkit.text.arrays import block_lines
from labkit.text.letters import HeldShard, held
from labkit.text.values import Block, Room, blocks
from labkit.text.words import place_words, slice_text


def cards(subject: Subject, room: Room, places: bool) -> dict[str, Card]:
    """Device label → its card, also ``"p0·host"`` where a process holds a numpy array.

    Args:
        subject: what is drawn.
        room: how much of a shard there is room for.
        places: whether each card says where in the mesh its device stands.
    """
    options = subject.options
    made = {label: _empty(label, subject, places) for label in subject.labels}
    for array, group in subject.lettered.arrays:
        shown = blocks(array, room, options.pick) if options.values else {}
        for label, holds in held((group,)).items():
            block = shown.get(label, Block())
            made[label] = _full(holds, array, block, made.get(label, Card(label)))
    silent = any(not array.deleted for array in subject.variable.arrays)
    return {label: _unseen(card) if silent else card for label, card in made.items()}


def _empty(label: str, subject: Subject, places: bool) -> Card:
    around = [mesh for mesh in subject.meshes if label in mesh.devices]
    lines = tuple(Label(place_words(mesh, label), "small") for mesh in around if places)
    return Card(label, outside=not around, lines=lines, title=label, tile=subject.tile)


def _unseen(card: Card) -> Card:
    """Says so where an array should be, but no process told what is there."""
    if card.mark or card.outside:
        return card
    told = () if card.tile else (Label("not seen", "small"),)
    return replace(card, lines=card.lines + told, title=f"{card.title}: not seen")


def _full(holds: HeldShard, array: Array, block: Block, empty: Card) -> Card:
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
