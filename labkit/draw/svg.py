"""The marks of a picture as SVG: the texts in them are escaped, what is drawn in them is markup."""

from __future__ import annotations

from collections.abc import Iterable

from labkit.draw.layout import Box
from labkit.text.markup import escaped


def n(value: float) -> str:
    """A number with at most one decimal."""
    return f"{round(value, 1):g}"


def rect(box: Box, css: str, radius: float = 0) -> str:
    """A rectangle."""
    place = f'x="{n(box.x)}" y="{n(box.y)}" width="{n(box.w)}" height="{n(box.h)}"'
    return f'<rect class="{css}" {place}' + (f' rx="{n(radius)}"/>' if radius else "/>")


def circle(x: float, y: float, radius: float, css: str) -> str:
    """A dot."""
    return f'<circle class="{css}" cx="{n(x)}" cy="{n(y)}" r="{n(radius)}"/>'


def text(x: float, y: float, line: str, css: str, anchor: str = "", turned: bool = False) -> str:
    """A line of text; ``y`` is the middle of its height."""
    turn = f' transform="rotate(-90 {n(x)} {n(y)})"' if turned else ""
    side = f' text-anchor="{anchor}"' if anchor else ""
    at = f'x="{n(x)}" y="{n(y)}" dy=".35em"'
    return f'<text class="{css}" {at}{side}{turn}>{escaped(line)}</text>'


def path(points: list[tuple[float, float]], css: str) -> str:
    """A line through points."""
    return strokes(["M", " L".join(f"{n(x)} {n(y)}" for x, y in points)], css)


def strokes(steps: Iterable[str], css: str) -> str:
    """A line by the steps of SVG's own language, one after the other."""
    return f'<path class="{css}" d="{"".join(steps)}"/>'


def edge(
    box: Box,
    radius: float,
    above: list[tuple[float, float]],
    beside: tuple[float, float] | None,
    css: str,
) -> str:
    """A rounded rectangle with gaps in its top edge and one in its left edge."""
    starts, ends = [a for a, _ in above], [b for _, b in above]
    x, y, r = n(box.x), n(box.y), n(radius)
    turn = f"a{r} {r} 0 0 1"
    steps = [f"M{n(a)} {y}H{n(b)}" for a, b in zip(ends[:-1], starts[1:], strict=True)]
    steps.append(f"M{n(ends[-1]) if ends else n(box.x + radius)} {y}H{n(box.right - radius)}")
    steps.append(f"{turn} {r} {r}V{n(box.bottom - radius)}{turn} -{r} {r}H{n(box.x + radius)}")
    steps.append(f"{turn} -{r} -{r}")
    steps += [f"V{n(beside[1])}M{x} {n(beside[0])}"] if beside else []
    steps.append(f"V{n(box.y + radius)}{turn} {r} -{r}" + (f"H{n(starts[0])}" if starts else ""))
    return strokes(steps, css)


def hatch(box: Box, css: str, gap: float = 6) -> str:
    """Slanted lines in a rectangle.

    Lines and no ``<pattern>``: a pattern has an id, and ids of two pictures on a page can clash.
    """
    steps, at = [], gap
    while at < box.w + box.h:
        x0, y0 = max(0, at - box.h), min(at, box.h)
        x1, y1 = min(at, box.w), max(0, at - box.w)
        steps.append(f"M{n(box.x + x0)} {n(box.y + y0)}L{n(box.x + x1)} {n(box.y + y1)}")
        at += gap
    return strokes(steps, css)


def group(css: str, body: str, title: str = "", **data: str) -> str:
    """A group with ``data-`` attributes; ``title`` is shown under the pointer."""
    head = f"<title>{escaped(title)}</title>" if title else ""
    return f'<g class="{css}"{_data(data)}>{head}{body}</g>'


def at(x: float, y: float, css: str, body: str, **data: str) -> str:
    """A group drawn from its own corner, put in its place: equal bodies are equal text."""
    return f'<g class="{css}"{_data(data)} transform="translate({n(x)} {n(y)})">{body}</g>'


def moved(x: float, y: float, body: str) -> str:
    """The same without a class."""
    return f'<g transform="translate({n(x)} {n(y)})">{body}</g>'


def _data(given: dict[str, str]) -> str:
    return "".join(f' data-{name}="{escaped(value)}"' for name, value in given.items())
