"""How a lesson speaks: a head line and some text, as HTML in a notebook and as plain text."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

# Okabe-Ito. Only the edge is coloured: the text keeps the theme's own contrast.
EDGES = {
    "right": "#009E73",
    "wrong": "#D55E00",
    "error": "#D55E00",
    "hung": "#CC79A7",
    "not attempted": "#888888",
}


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
        return (
            f'<div style="border-left:4px solid {edge};padding:2px 12px;margin:4px 0;'
            f'max-width:660px;line-height:1.5"><b>{inline(self.head)}</b><br>{inline(self.text)}</div>'
        )


def inline(text: str) -> str:
    """Escaped text with ``<code>`` for backticks and a break for each new line."""
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return code.replace("\n", "<br>")
