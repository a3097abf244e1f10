"""A picture: SVG (or a table) with the same thing in words beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from labkit.text.markup import element, empty, worded

PAPER = empty("rect", class_="lk-paper", width="100%", height="100%", rx="8")


@cache
def style() -> str:
    """The style sheet of all pictures, to be put once where they stand without their own."""
    return files("labkit.draw").joinpath("static/draw.css").read_text(encoding="utf-8")


def standing_alone(svg: str) -> str:
    """The SVG with the style sheet in it, for where no page around it has that."""
    head, mark, rest = svg.partition(">")
    return f"{head}{mark}{element('style', style())}{rest}"


@dataclass(frozen=True)
class Picture:
    """What was drawn.

    Attributes:
        text: the picture in words and numbers.
        width: in pixels; 0 for a table.
        height: in pixels; 0 for a table.
        body: the SVG elements on it; empty for a table.
        html: a table, where that says it better than SVG.
    """

    text: str
    width: float = 0
    height: float = 0
    body: str = ""
    html: str = ""

    @property
    def svg(self) -> str:
        """The picture with its style sheet and its words: it stands alone. Empty for a table."""
        return "" if self.html else standing_alone(self.bare)

    @property
    def bare(self) -> str:
        """The SVG without its style sheet, for a page that has :func:`style` already."""
        return self._element(aria_label=self.text)

    @property
    def unlabelled(self) -> str:
        """The same without its words, for where they stand beside it, as on a stage."""
        return self._element()

    def _element(self, **label: str) -> str:
        if self.html:
            return ""
        wide, high = f"{self.width:g}", f"{self.height:g}"
        about = {"xmlns": "http://www.w3.org/2000/svg", "class": "lk-picture", "role": "img"}
        size = {"width": wide, "height": high, "viewBox": f"0 0 {wide} {high}"}
        return element("svg", PAPER, self.body, **about, **label, **size)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html or _inline(self.svg, self.text)}

    def save(self, path: str | Path) -> Path:
        """Writes the picture as an SVG file of its own.

        Raises:
            ValueError: the picture is a table and has no SVG.
        """
        if self.html:
            raise ValueError("this picture is a table, not SVG: use its html or its text")
        path = Path(path)
        path.write_text(self.svg + "\n", encoding="utf-8")
        return path


def _inline(svg: str, text: str) -> str:
    """The SVG, and its words for a page that takes SVG and styles away.

    JupyterLab does so in a notebook it does not trust, and leaves the SVG's texts run together:
    they are then without size, and the words, which the style sheet hides, are seen.
    """
    words = worded("pre", text, class_="lk-alt", style="font-size:12px")
    return element("div", svg, words, style="font-size:0")
