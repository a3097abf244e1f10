"""Many pictures that have most of their elements in common: each element is stored once.

The pictures of a recording differ in a few numbers. Stored as they are, 50 of them would be
half a megabyte; the browser joins the pieces again (``joined`` in stage.js).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

PIECE = re.compile(r"<[^/][^>]*>|[^<]*(?:</[^>]*>)*")
"""A tag that opens an element, or a text with all that closes after it."""

WORDS = re.compile(r"[^\n]*?(?: {2,}|\n|$)")
"""A column of a text's line."""

LABEL = re.compile(r' aria-label="[^"]*"')


class Parts:
    """Pieces of text, numbered in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def svg(self, svg: str) -> list[int]:
        """The numbers of a picture's pieces; its label goes, the words stand beside it."""
        first, *rest = PIECE.findall(svg)
        return self._of([LABEL.sub("", first), *rest])

    def words(self, text: str) -> list[int]:
        """The numbers of a text's words."""
        return self._of(WORDS.findall(text))

    def _of(self, pieces: Sequence[str]) -> list[int]:
        return [self._numbers.setdefault(piece, len(self._numbers)) for piece in pieces if piece]

    @property
    def all(self) -> list[str]:
        """The pieces by their numbers."""
        return list(self._numbers)


def whole(run: Mapping[str, Any], numbers: Sequence[int]) -> str:
    """A picture or a text out of its pieces."""
    return "".join(run["parts"][number] for number in numbers)
