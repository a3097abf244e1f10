"""Many pictures that have most of their elements in common: each element is stored once.

The pictures of a recording differ in a few numbers. Stored as they are, 50 of them would be
half a megabyte; the browser joins the pieces again (``joined`` in stage.js).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PIECE = re.compile(r"<[^/][^>]*>|[^<]*(?:</[^>]*>)*")
"""A tag that opens an element, or a text with all that closes after it."""

WORDS = re.compile(r"[^\n]*?(?: {2,}|\n|$)")
"""A column of a text's line."""


class Parts:
    """Pieces of text, numbered in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def svg(self, svg: str) -> list[int]:
        """The numbers of a picture's pieces."""
        return self._of(PIECE.findall(svg))

    def words(self, text: str) -> list[int]:
        """The numbers of a text's words."""
        return self._of(WORDS.findall(text))

    def _of(self, pieces: Sequence[str]) -> list[int]:
        return [self._numbers.setdefault(piece, len(self._numbers)) for piece in pieces if piece]

    @property
    def all(self) -> list[str]:
        """The pieces by their numbers."""
        return list(self._numbers)


def joined(
    parts: Sequence[str], rows: Sequence[Sequence[int]]
) -> tuple[list[str], list[list[int]]]:
    """The same texts of fewer pieces: those that never stand apart become one.

    Args:
        parts: the pieces.
        rows: for each text the numbers of its pieces.
    """
    pairs = [pair for row in rows for pair in zip([-1, *row], [*row, -1], strict=True)]
    after = _only(pairs)
    before = _only([(b, a) for a, b in pairs])
    follows = {a: b for a, b in after.items() if a >= 0 and b >= 0 and before[b] == a}
    count = Counter(number for row in rows for number in row)
    for number in follows.values():
        del count[number]
    heads = [number for number, _ in count.most_common()]  # what is often named has a short number
    places = {head: place for place, head in enumerate(heads)}
    texts = ["".join(parts[number] for number in _chain(head, follows)) for head in heads]
    return texts, [[places[number] for number in row if number in places] for row in rows]


def _only(pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Piece → the one piece that always goes with it; -1 where it differs."""
    found: dict[int, int] = {}
    for number, other in pairs:
        found[number] = other if found.get(number, other) == other else -1
    return found


def _chain(head: int, follows: Mapping[int, int]) -> Iterator[int]:
    number: int | None = head
    while number is not None:
        yield number
        number = follows.get(number)


def whole(run: Mapping[str, Any], numbers: Sequence[int]) -> str:
    """A picture or a text out of its pieces."""
    return "".join(run["parts"][number] for number in numbers)
