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
        svg: the picture with its own style sheet: it stands alone. Empty for a table.
        text: the same in words and numbers.
        html: a table, where that says it better than SVG.
    """

    svg: str
    text: str
    html: str = ""

    @property
    def bare(self) -> str:
        """The SVG without its style sheet, for a page that has :func:`style` already."""
        return self.svg.replace(f"<style>{style()}</style>", "", 1)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html or _inline(self.svg, self.text)}

    def save(self, path: str | Path) -> Path:
        """Writes the picture as an SVG file of its own.

        Raises:
            ValueError: the picture is a table and has no SVG.
        """
        if not self.svg:
            raise ValueError("this picture is a table, not SVG: use its html or its text")
        path = Path(path)
        path.write_text(self.svg + "\n", encoding="utf-8")
        return path


def _inline(svg: str, text: str) -> str:
    """The SVG, and its words for a page that takes SVG and styles away.

    JupyterLab does so in a notebook it does not trust, and leaves the SVG's texts run together:
    they are then without size, and the words, which the style sheet hides, are seen.
    """
    words = f'<pre class="lk-alt" style="font-size:12px">{escape(text)}</pre>'
    return f'<div style="font-size:0">{svg}{words}</div>'


def canvas(width: float, height: float, text: str, body: str) -> str:
    """The SVG element around what was drawn, with its words for screen readers."""
    label = escape(text).replace("\n", "&#10;")  # a plain line break in an attribute is lost
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lk-picture" role="img" '
        f'aria-label="{label}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><style>{style()}</style>'
        f'<rect class="lk-paper" width="100%" height="100%" rx="8"/>{body}</svg>'
    )
