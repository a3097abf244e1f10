"""A whole picture out of a layout that has items of its own besides the common ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labkit.draw.items import Band, sentence
from labkit.draw.layout import Box, Node, column, padded, placed
from labkit.draw.paint import ORDER, paint
from labkit.draw.picture import Picture

WIDTH = 700.0


MARGIN = 8.0


@dataclass(frozen=True)
class Own:
    """Something that only one kind of picture has, told by its kind."""

    kind: str


def sheet(
    body: Node, why: str, text: str, paint_own: Callable[[object, Box], str], width: float
) -> Picture:
    """The body within the frame, under the band if there is a reason for one.

    Args:
        body: the layout; items that are not of :mod:`labkit.draw.items` lie below the others.
        why: why no number may be trusted; empty when they may.
        text: the picture in words.
        paint_own: the SVG of an item that is not of :mod:`labkit.draw.items`.
        width: the most it may be wide, in pixels.
    """
    if why:
        told = sentence(f"not to be trusted: {why}", "warn", width - 60)
        band = padded(told, 14, 10, width - 2 * MARGIN - told.w - 14, 10, Band())
        body = column([band, body], 14)
    whole = padded(body, MARGIN, MARGIN, MARGIN, MARGIN)
    items = list(placed(whole))
    own = "".join(paint_own(item, box) for item, box in items if not isinstance(item, ORDER))
    common = paint([(item, box) for item, box in items if isinstance(item, ORDER)])
    return Picture(text, whole.w, whole.h, own + common)


def stacked(upper: Picture, lower: Picture) -> Picture:
    """Two pictures one under the other, as they stand in a cell's output."""
    html = "".join(picture._repr_mimebundle_()["text/html"] for picture in (upper, lower))
    return Picture(f"{upper.text}\n{lower.text}", html=html)


def note(words: str, width: float) -> Picture:
    """A sentence in place of a picture."""
    return sheet(sentence(words, "words", width - 2 * MARGIN), "", words, lambda *_: "", width)
