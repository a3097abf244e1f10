"""How a lesson speaks: a head line and some text, as HTML in a notebook and as plain text."""

from __future__ import annotations

from dataclasses import dataclass

from labkit.text.markup import element, marked

# Okabe-Ito. Only the edge is coloured: the text keeps the theme's own contrast.
EDGES = {
    "right": "#009E73",
    "wrong": "#D55E00",
    "error": "#D55E00",
    "hung": "#CC79A7",
    "not attempted": "#888888",
}
STYLE = "padding:2px 12px;margin:4px 0;max-width:660px;line-height:1.5"


@dataclass(frozen=True, repr=False)
class Card:
    """Something a lesson says. The last expression of a cell shows it; so does ``print``.

    Attributes:
        head: one line.
        text: more lines; backticks mark code.
        status: of a check: ``right wrong error hung`` or ``not attempted``. Empty otherwise.
    """

    head: str
    text: str = ""
    status: str = ""

    def __repr__(self) -> str:
        return self.head + "".join(f"\n  {line}" for line in self.text.splitlines())

    def _repr_html_(self) -> str:
        edge = EDGES.get(self.status, "#56B4E9")
        style = f"border-left:4px solid {edge};{STYLE}"
        head = element("b", marked(self.head))
        return element("div", head, marked(f"\n{self.text}"), style=style)
