"""HTML and SVG as text: what a learner wrote is escaped here and nowhere else.

An element goes around markup (``element``) or around a text (``worded``): which of the two it is
stands where it is made. Tags are written here, by the marks of pictures (``labkit.draw.svg``) and
in the frame of a page, and a test holds that.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape


def escaped(text: str) -> str:
    """A text as it stands between two tags, or in the quotes of an attribute."""
    return escape(text)


def attributes(given: Mapping[str, str]) -> str:
    """`` class="lk-box" data-of="x"`` for ``class_`` and ``data_of``.

    A line break is written as a number: in an SVG's attribute a plain one is lost.
    """
    pairs = ((name.rstrip("_").replace("_", "-"), escape(text)) for name, text in given.items())
    return "".join(f' {name}="{text}"' for name, text in pairs).replace("\n", "&#10;")


def element(name: str, /, *inside: str, **given: str) -> str:
    """An element around markup: around other elements, one after the other.

    Args:
        name: of the element.
        inside: markup.
        **given: attributes, see :func:`attributes`.
    """
    return f"<{name}{attributes(given)}>{''.join(inside)}</{name}>"


def worded(name: str, text: str, /, **given: str) -> str:
    """An element around a text."""
    return element(name, escape(text), **given)


def empty(name: str, /, **given: str) -> str:
    """An element with nothing in it, as SVG writes it."""
    return f"<{name}{attributes(given)}/>"


def image(alt: str, address: str, /, **given: str) -> str:
    """A picture that stands at an address, most often a :func:`data_uri`."""
    return f'<img alt="{escape(alt)}"{attributes(given)} src="{escape(address)}">'


def marked(text: str) -> str:
    """A text with ``<code>`` for backticks and a break for each new line."""
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return code.replace("\n", "<br>")


def data_uri(kind: str, content: bytes) -> str:
    """An address that has the content in itself and so needs no file."""
    return f"data:{kind};base64,{b64encode(content).decode()}"


def bundle_uri(kind: str, content: str | bytes | Sequence[str]) -> str:
    """The same of what a mime bundle has: bytes, SVG as text, and others in base64 already."""
    if isinstance(content, bytes):
        return data_uri(kind, content)
    text = "".join(content)
    if kind == "image/svg+xml":
        return data_uri(kind, text.encode())
    return f"data:{kind};base64,{''.join(text.split())}"
