"""A picture: SVG (or a table) with the same thing in words beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path


@cache
def style() -> str:
    """The style sheet of all pictures, to be put once where they stand without their own."""
    return files("labkit.draw").joinpath("static/draw.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Picture:
    """What was drawn.

    Attributes:
        bare: the SVG without a style sheet, for a page that has :func:`style` already.
            Empty where the picture is a table.
        text: the same in words and numbers.
        html: a table, where that says it better than SVG.
    """

    bare: str
    text: str
    html: str = ""

    @property
    def svg(self) -> str:
        """The SVG with its own style sheet: it stands alone."""
        head, mark, rest = self.bare.partition(">")
        return f"{head}{mark}<style>{style()}</style>{rest}" if self.bare else ""

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html or self.svg}

    def save(self, path: str | Path) -> Path:
        """Writes the picture as a file of its own.

        Raises:
            ValueError: the picture is a table and has no SVG.
        """
        if not self.bare:
            raise ValueError("this picture is a table, not SVG: use its html or text")
        path = Path(path)
        path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}\n', encoding="utf-8")
        return path


def canvas(width: float, height: float, text: str, body: str) -> str:
    """The outer SVG element around what was drawn, with its words for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lk-picture" role="img" '
        f'aria-label="{escape(text)}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">{body}</svg>'
    )
