"""The stage where widgets do not run: a table of captions, the last pictures, and plain text.

Pictures are images with a data URI: notebook views that distrust a notebook take inline SVG out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labkit.draw.picture import standing_alone
from labkit.text.markup import data_uri, element, image, worded
from labkit.widgets.packing import whole

NOTHING_YET = "No scenes yet: run this cell with a live lab to see them."
CELL = "text-align: left; vertical-align: top"

LISTED, TOLD = 60, 12
"""So many scenes have a row in the table, and so many are told in full: a notebook keeps both."""


def html(runs: Sequence[Mapping[str, Any]], why: str = "") -> str:
    """Every caption in a table, and the last picture of each run as an image."""
    if not runs:
        return worded("p", NOTHING_YET)
    band = element("p", worded("strong", _band(why))) if why else ""
    return band + "".join(_run_html(run) for run in runs)


def text(runs: Sequence[Mapping[str, Any]], why: str = "") -> str:
    """Every scene in words."""
    if not runs:
        return NOTHING_YET
    return "\n\n".join(([_band(why)] if why else []) + [_run_text(run) for run in runs])


def _band(why: str) -> str:
    return f"not to be trusted: {why}"


def _run_html(run: Mapping[str, Any]) -> str:
    head = element("p", worded("strong", run["title"])) if run["title"] else ""
    rows = (_row(i, scene) for i, scene in enumerate(run["scenes"][:LISTED], 1))
    more = (worded("p", line) for line in _more(run, LISTED))
    return "".join([head, element("table", *rows), *more, _image(run)])


def _more(run: Mapping[str, Any], most: int) -> list[str]:
    left = len(run["scenes"]) - most
    return [f"… and {left} more steps"] if left > 0 else []


def _row(number: int, scene: Mapping[str, Any]) -> str:
    cells = (str(number), _title(scene), scene["caption"])
    return element("tr", *(worded("td", cell, style=CELL) for cell in cells))


def _image(run: Mapping[str, Any]) -> str:
    scene = run["scenes"][-1]
    # an image sees no style sheet of the page it stands on
    svg = standing_alone(whole(run, scene["svg"]))
    return image(whole(run, scene["alt"]), data_uri("image/svg+xml", svg.encode()))


def _run_text(run: Mapping[str, Any]) -> str:
    told = [_scene_text(i, run, scene) for i, scene in enumerate(run["scenes"], 1)]
    listed = told[:TOLD] if len(told) > TOLD + 1 else told
    return "\n\n".join([run["title"]] * bool(run["title"]) + listed + _more(run, len(listed)))


def _scene_text(number: int, run: Mapping[str, Any], scene: Mapping[str, Any]) -> str:
    return "\n".join([f"{number}. {_title(scene)}", scene["caption"], whole(run, scene["alt"])])


def _title(scene: Mapping[str, Any]) -> str:
    return scene["title"] + (" (illustration)" if scene["illustration"] else "")
