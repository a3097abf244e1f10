"""Which copies agree: the tree with the odd leaf marked, devices in groups, what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from labkit.draw.arrays.cards import card_nodes
from labkit.draw.frame import MARGIN, WIDTH, Own, framed, own_below
from labkit.draw.items import TILE, Card, Label, ProcessBox, label, labels, sentence
from labkit.draw.layout import Box, Node, column, flow, grid, padded, row
from labkit.draw.picture import Picture
from labkit.draw.replicas.heatmap import HeatCell, heat, paint_cell
from labkit.draw.svg import rect
from labkit.facts import Copies, Leaf, Process, ReplicaReport
from labkit.facts.labels import process_of
from labkit.text.letters import COLOURS
from labkit.text.replicas import (
    effort,
    first_values,
    leaf_type,
    marks,
    notes,
    numbers_words,
    report_text,
    row_name,
    row_words,
    title,
    verdict,
    where,
)
from labkit.text.tree_rows import Row, rows
from labkit.text.words import count, short

DETAILS, SLICES, ROWS, BOXES = 3, 2, 24, 8
INSIDE = WIDTH - 2 * MARGIN


def replicas(report: ReplicaReport, processes: Sequence[Process]) -> Picture:
    """Which copies of a tree's leaves agree, and how those that do not differ.

    Args:
        report: what was found.
        processes: those that were asked, in order.
    """
    told = [column([_detail(report, x, processes)]) for x in report.differing[:DETAILS]]
    rest = len(report.differing) - DETAILS
    more = [f"… and {count(rest, 'more leaf', 'more leaves')} in the text form"] * (rest > 0)
    body = column([_heading(report), _tree(report), *told, *labels(more, "note")], 14)
    return framed(body, report.why, report_text(report), own_below(_paint), WIDTH)


def _paint(item: object, box: Box) -> str:
    return paint_cell(item, box) if isinstance(item, HeatCell) else rect(box, "lk-band", 4)


def _heading(report: ReplicaReport) -> Node:
    first = row([label(short(report.name, 40), "name"), label(effort(report), "note")], 10)
    kind = "words" if report.agree else "warn"
    told = [sentence(verdict(report), kind, INSIDE)]
    return column([first, *told, *(sentence(line, "words", INSIDE) for line in notes(report))], 3)


def _tree(report: ReplicaReport) -> Node:
    made = rows(report.leaves)
    if len(made) > ROWS:  # the odd ones first: a tree may be long
        made = sorted(made, key=lambda r: all(leaf.agree for leaf in r.leaves))
    lines = [_line(report, one) for one in made[:ROWS]]
    left = len(made) - ROWS
    more = labels([f"… {count(left, 'more row')}"] * (left > 0), "note")
    return column([*lines, *more], 2)


def _line(report: ReplicaReport, one: Row) -> Node:
    wrong = not all(leaf.agree for leaf in one.leaves)
    compared = any(leaf.checked for leaf in one.leaves)
    kind, words = row_words(one)
    name = row_name(report, one) or report.name
    cells = [
        *[Node(16 * one.depth - 8, 1)] * bool(one.depth),
        label("≠" if wrong else "=" if compared else "·", "warn" if wrong else "code"),
        label(short(name, 48), "code"),
        *labels([kind], "small"),
        *labels([short(words, 90)], "alarm" if wrong else "note"),
    ]
    line = flow(cells, INSIDE - 16, 8, down=0.5)
    odd = Own("odd") if wrong and not one.open else None
    return padded(line, 6, 2, max(INSIDE - 12 - line.w, 0) if odd else 0, 2, odd)


def _detail(report: ReplicaReport, leaf: Leaf, processes: Sequence[Process]) -> Node:
    full = title(report.name, leaf.path)
    name = label(full, "name") if len(full) <= 60 else label(short(full, 90), "code")
    parts = [flow([name, label(leaf_type(leaf), "code")], INSIDE, 10)]
    parts += [sentence(leaf.problem, "warn", INSIDE)] if leaf.problem else []
    for number, copies in enumerate(leaf.copies[:SLICES]):
        parts += _slice(leaf, copies, number, processes)
    rest = len(leaf.copies) - SLICES
    return column([*parts, *labels([f"… {count(rest, 'more slice')}"] * (rest > 0), "note")], 8)


def _slice(leaf: Leaf, copies: Copies, number: int, processes: Sequence[Process]) -> Iterator[Node]:
    words = "; ".join(numbers_words(leaf, copies)) or "not compared element by element"
    yield sentence(where(leaf, copies) + words, "words", INSIDE)
    yield _groups(leaf, copies, number, processes)
    if copies.values and copies.index:
        yield heat(leaf, copies, marks(copies, number))


def _groups(leaf: Leaf, copies: Copies, number: int, processes: Sequence[Process]) -> Node:
    """The processes with their devices, each with the mark of its group."""
    cards = _cards(leaf, copies, number)
    odd = {process_of(name) for group in copies.groups[1:] for name in group}
    chosen = sorted(processes, key=lambda p: p.index not in odd)[:BOXES]
    boxes = [_box(process, cards) for process in sorted(chosen, key=lambda p: p.index)]
    left = len(processes) - len(chosen)
    more = labels([f"… {count(left, 'more process', 'more processes')}"] * (left > 0), "note")
    return column([flow(boxes, INSIDE, 10, down=0), *more], 4)


def _cards(leaf: Leaf, copies: Copies, number: int) -> dict[str, Card]:
    values = first_values(leaf, copies) or [""] * len(copies.groups)
    names, head, found = marks(copies, number), marks(copies, number)[0], {}
    for at, (mark, group, value) in enumerate(zip(names, copies.groups, values, strict=True)):
        lines = tuple(Label(short(line, 18), "value") for line in [value] if line)
        for device in group:
            told = f"{device} holds {mark}" + f": {value}" * bool(value)
            found[device] = Card(
                device, mark, head, number % COLOURS, at > 0, lines=lines, title=told
            )
    return found


def _tile(card: Card) -> Card:
    """Small; of many groups only the number, for which there is room."""
    mark = card.mark if len(card.mark) < 4 else card.mark[1:]
    return replace(card, mark=mark, tile=True, lines=())


def _box(process: Process, cards: dict[str, Card]) -> Node:
    names = [device.label for device in process.devices]
    names = [*names, *(d for d in cards if process_of(d) == process.index and d not in names)]
    held = [cards.get(name, Card(name, title=name)) for name in names]
    if len(held) > 4:
        held = [_tile(card) for card in held]
    nodes = card_nodes(held)
    body = grid(nodes, max(min(len(nodes), 8 if nodes[0].w == TILE else 4), 1), 5, 5)
    head = label(f"process {process.index}", "head")
    return padded(column([head, body], 6), 9, 8, 9, 9, ProcessBox(process.index))
