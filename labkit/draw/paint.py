"""Items with their places -> SVG."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.draw.items import (
    LINE,
    Band,
    Card,
    Label,
    Line,
    Outline,
    Piece,
    Pill,
    ProcessBox,
    Rest,
    width,
)
from labkit.draw.layout import Box, Placed
from labkit.draw.svg import edge, group, hatch, path, rect, text
from labkit.facts.labels import place_of

ORDER = (ProcessBox, Outline, Line, Band, Rest, Card, Piece, Label, Pill)
"""What is drawn first lies below."""


def paint(items: Sequence[Placed]) -> str:
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
        case Rest():
            return rect(box, "lk-rest")
        case _:
            return rect(box, "lk-band") + hatch(box, "lk-stripes", 12)


def _process(item: ProcessBox, box: Box) -> str:
    css = "lk-process lk-gone" if item.gone else "lk-process"
    return group(css, rect(box, "lk-box", 10), process=str(item.index))


def _card(card: Card, box: Box) -> str:
    parts = [rect(box, "lk-face", 6), hatch(box, "lk-hatch") if card.differs else ""]
    if card.mark or card.lines:
        parts += [_chip(card, box)] if card.mark else []
        parts.append(text(box.right - 7, box.y + 16, card.label, "lk-small", "end"))
    else:
        parts.append(text(box.cx, box.cy, card.label, "lk-small", "middle"))
    return _device(card, parts + _lines(card, box), "")


def _device(card: Card, parts: Sequence[str], extra: str) -> str:
    css = f"lk-device lk-c{card.colour}" if card.mark else "lk-device lk-empty"
    css += " lk-outside" * card.outside + " lk-differs" * card.differs + extra
    return group(css, "".join(parts), card.title, device=card.label, slice=card.slice)


def _chip(card: Card, box: Box) -> str:
    chip = Box(box.x + 6, box.y + 7, width(card.mark, "code") + 9, 18)
    return rect(chip, "lk-chip", 5) + text(chip.cx, chip.cy, card.mark, "lk-letter", "middle")


def _lines(card: Card, box: Box) -> list[str]:
    found, y = [], box.y + 29
    for line in card.lines:
        y += LINE[line.kind]
        found.append(text(box.cx, y - LINE[line.kind] / 2, line.text, f"lk-{line.kind}", "middle"))
    return found


def _tile(card: Card, box: Box) -> str:
    name = card.mark or place_of(card.label)
    y = box.cy - 6 if card.lines else box.cy
    parts = [rect(box, "lk-face", 5), hatch(box, "lk-hatch") if card.differs else ""]
    parts.append(text(box.cx, y, name, "lk-letter" if card.mark else "lk-small", "middle"))
    parts += [text(box.cx, box.cy + 9, line.text, "lk-tile", "middle") for line in card.lines]
    return _device(card, parts, " lk-tiled")


def _piece(piece: Piece, box: Box) -> str:
    cut, copies, box = piece.cut, len(piece.cut.shards), box.grown(-0.75)
    name = " ≠ ".join(dict.fromkeys(cut.marks))
    parts = [rect(box, "lk-chip"), hatch(box, "lk-hatch") if cut.differ else ""]
    told = [f"{name} ×{copies}" if copies > 1 else name, name, cut.letter]
    shown = [line for line in told if width(line, "code") < box.w - 5]
    if shown and box.h > 12:
        parts.append(text(box.cx, box.cy, shown[0], "lk-letter", "middle"))
    css = f"lk-slice lk-c{cut.colour}"
    return group(css, "".join(parts), f"{name}, held {copies}×", slice=cut.letter)


def _outline(item: Outline, box: Box) -> str:
    """The edge, interrupted where a text stands on it."""
    above = [(box.cx, item.top, "axis")] if item.top else []
    half = width(item.legend, "note") / 2
    if item.top and (box.w - width(item.top, "code")) / 2 > 2 * half + 30:
        above.insert(0, (box.x + 16 + half, item.legend, "note"))
    gaps = [_gap(x, line, kind) for x, line, kind in above]
    beside = _gap(box.cy, item.left, "axis") if item.left else None
    parts = [edge(box, 12, gaps, beside, "lk-mesh")]
    parts += [text(x, box.y, line, f"lk-{kind}", "middle") for x, line, kind in above]
    if item.left:
        parts.append(text(box.x, box.cy, item.left, "lk-axis", "middle", turned=True))
    return "".join(parts)


def _gap(middle: float, line: str, kind: str) -> tuple[float, float]:
    half = width(line, "code" if kind == "axis" else kind) / 2 + 5
    return middle - half, middle + half


def _pill(pill: Pill, box: Box) -> str:
    shape = rect(box, "lk-pill", box.h / 2)
    return group(f"lk-{pill.kind}", shape + text(box.cx, box.cy, pill.text, "lk-word", "middle"))
