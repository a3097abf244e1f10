"""Items with their places -> SVG."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.draw.boxes import Box
from labkit.draw.items import (
    Band,
    Card,
    Label,
    Line,
    Outline,
    Piece,
    Pill,
    ProcessBox,
    width,
)
from labkit.draw.marks import group, hatch, path, rect, text
from labkit.draw.words import slice_text

ORDER = (ProcessBox, Outline, Line, Band, Card, Piece, Label, Pill)
"""What is drawn first lies below."""


def paint(items: Sequence[tuple[object, Box]]) -> str:
    """The SVG of all items, those that lie below first."""
    ranked = sorted(items, key=lambda pair: ORDER.index(type(pair[0])))
    return "".join(_draw(item, box) for item, box in ranked)


def _draw(item: object, box: Box) -> str:
    match item:
        case Label():
            return text(box.x, box.cy, item.text, f"lk-{item.kind}")
        case ProcessBox():
            return _process(item, box)
        case Card():
            return _tile(item, box) if item.tile else _card(item, box)
        case Piece():
            return _piece(item, box)
        case Outline():
            return _outline(item, box)
        case Line():
            return path(list(item.points), f"lk-line lk-line-{item.kind}")
        case Pill():
            return _pill(item, box)
        case _:
            return rect(box, "lk-band") + hatch(box, "lk-stripes", 12)


def _process(item: ProcessBox, box: Box) -> str:
    css = "lk-process lk-gone" if item.gone else "lk-process"
    return group(css, rect(box, "lk-box", 10), process=str(item.index))


def _card(card: Card, box: Box) -> str:
    parts = [rect(box, "lk-face", 6)]
    if card.differs and card.mark != card.slice:
        parts.append(hatch(box, "lk-hatch"))
    if card.mark:
        parts.append(_chip(card, box))
    parts.append(text(box.right - 8, box.y + 16, card.label, "lk-small", "end"))
    parts += _lines(card, box)
    return group(_css(card), "".join(parts), card.title, device=card.label, slice=card.slice)


def _css(card: Card) -> str:
    holds = f" lk-c{card.colour}" if card.mark else " lk-empty"
    extra = " lk-outside" * card.outside + " lk-differs" * card.differs
    return "lk-device" + holds + extra


def _chip(card: Card, box: Box) -> str:
    wide = width(card.mark, "code") + 10
    chip = Box(box.x + 7, box.y + 7, wide, 18)
    return rect(chip, "lk-chip", 5) + text(chip.cx, chip.cy, card.mark, "lk-letter", "middle")


def _lines(card: Card, box: Box) -> list[str]:
    y = box.y + 38
    found = []
    for line in card.values:
        found.append(text(box.cx, y, line, "lk-value", "middle"))
        y += 17
    y = box.bottom - 4 - 15 * len(card.small) + 5
    for number, line in enumerate(card.small):
        found.append(text(box.cx, y + 15 * number, line, "lk-small", "middle"))
    return found


def _tile(card: Card, box: Box) -> str:
    name = card.mark or card.label.partition("·")[2]
    y = box.cy - 6 if card.values else box.cy
    css = "lk-letter" if card.mark else "lk-small"
    parts = [rect(box, "lk-face", 5), hatch(box, "lk-hatch") if card.mark != card.slice else ""]
    parts.append(text(box.cx, y, name, css, "middle"))
    parts += [text(box.cx, box.cy + 9, line, "lk-tile", "middle") for line in card.values]
    css = _css(card) + " lk-tiled"
    return group(css, "".join(parts), card.title, device=card.label, slice=card.slice)


def _piece(piece: Piece, box: Box) -> str:
    cut = piece.cut
    name = "/".join(dict.fromkeys(cut.marks))
    copies = f" ×{len(cut.shards)}"
    parts = [rect(box, "lk-chip")]
    if cut.differ:
        parts.append(hatch(box, "lk-hatch"))
    shown = [t for t in (name + copies * (len(cut.shards) > 1), name) if width(t, "code") < box.w - 2]
    if shown and box.h > 12:
        parts.append(text(box.cx, box.cy, shown[0], "lk-letter", "middle"))
    title = f"{name}: {len(cut.shards)} × {slice_text(cut.index, [0] * len(cut.index))}"
    return group(f"lk-slice lk-c{cut.colour}", "".join(parts), title, slice=cut.letter)


def _outline(item: Outline, box: Box) -> str:
    parts = [rect(box, "lk-mesh", 12)]
    if item.legend:
        parts.append(_on_edge(box.x + 14, box.y, item.legend, "small", "start"))
    if item.top:
        parts.append(_on_edge(box.cx, box.y, item.top, "code", "middle"))
    if item.left:
        parts.append(_turned(box.x, box.cy, item.left))
    return "".join(parts)


def _on_edge(x: float, y: float, line: str, kind: str, anchor: str) -> str:
    """A text that interrupts the edge it stands on."""
    wide = width(line, kind) + 8
    gap = Box(x - (4 if anchor == "start" else wide / 2), y - 8, wide, 16)
    return rect(gap, "lk-gap") + text(x, y, line, f"lk-{kind} lk-axis", anchor)


def _turned(x: float, y: float, line: str) -> str:
    high = width(line, "code") + 8
    gap = Box(x - 8, y - high / 2, 16, high)
    return rect(gap, "lk-gap") + text(x, y, line, "lk-code lk-axis", "middle", turned=True)


def _pill(pill: Pill, box: Box) -> str:
    shape = rect(box, "lk-pill", box.h / 2)
    return group(f"lk-{pill.kind}", shape + text(box.cx, box.cy, pill.text, "lk-code", "middle"))
