"""A whole picture out of a layout: the frame around it, the band over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labkit.draw.items import Band, sentence
from labkit.draw.layout import Box, Node, Placed, column, padded, placed
from labkit.draw.paint import ORDER, paint
from labkit.draw.picture import Picture

WIDTH = 700.0
MARGIN = 8.0

Marks = Callable[[Sequence[Placed]], str]
"""All items of a picture with their places -> their SVG."""


@dataclass(frozen=True)
class Own:
    """Something that only one kind of picture has, told by its kind."""

    kind: str


def framed(body: Node, why: str, text: str, marks: Marks = paint, width: float = WIDTH) -> Picture:
    """The body within the frame, under the band if there is a reason for one.

    Args:
        body: the layout.
        why: why no number may be trusted; empty when they may.
        text: the picture in words.
        marks: draws what is in the layout, and in the band.
        width: the most it may be wide, in pixels.
    """
    if why:
        told = sentence(f"not to be trusted: {why}", "warn", width - 60)
        band = padded(told, 14, 10, width - 2 * MARGIN - told.w - 14, 10, Band())
        body = column([band, body], 14)
    whole = padded(body, MARGIN, MARGIN, MARGIN, MARGIN)
    return Picture(text, whole.w, whole.h, marks(list(placed(whole))))


def own_below(paint_own: Callable[[object, Box], str]) -> Marks:
    """Draws items that only one kind of picture has, and over them the common ones.

    Args:
        paint_own: the SVG of an item that is not of :mod:`labkit.draw.items`.
    """

    def marks(items: Sequence[Placed]) -> str:
        own = "".join(paint_own(item, box) for item, box in items if not isinstance(item, ORDER))
        return own + common(items)

    return marks


def common(items: Sequence[Placed]) -> str:
    """The SVG of those items that all kinds of pictures have."""
    return paint([(item, box) for item, box in items if isinstance(item, ORDER)])


def stacked(upper: Picture, lower: Picture) -> Picture:
    """Two pictures one under the other, as they stand in a cell's output."""
    html = "".join(picture._repr_mimebundle_()["text/html"] for picture in (upper, lower))
    return Picture(f"{upper.text}\n{lower.text}", html=html)


def note(words: str, width: float) -> Picture:
    """A sentence in place of a picture."""
    return framed(sentence(words, "words", width - 2 * MARGIN), "", words, width=width)
