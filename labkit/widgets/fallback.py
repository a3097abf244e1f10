"""The stage where widgets do not run: a table of captions, the last pictures, and plain text.

Pictures are images with a data URI: notebook views that distrust a notebook take inline SVG out.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from labkit.draw import style

NOTHING_YET = "No scenes yet: run this cell with a live lab to see them."
CELL = 'style="text-align: left; vertical-align: top"'


def html(runs: Sequence[Mapping[str, Any]], why: str = "") -> str:
    """Every caption in a table, and the last picture of each run as an image."""
    if not runs:
        return f"<p>{NOTHING_YET}</p>"
    band = f"<p><strong>{escape(_band(why))}</strong></p>" if why else ""
    return band + "".join(_run_html(run) for run in runs)


def text(runs: Sequence[Mapping[str, Any]], why: str = "") -> str:
    """Every scene in words."""
    if not runs:
        return NOTHING_YET
    return "\n\n".join(([_band(why)] if why else []) + [_run_text(run) for run in runs])


def _band(why: str) -> str:
    return f"not to be trusted: {why}"


def _run_html(run: Mapping[str, Any]) -> str:
    rows = "".join(_row(i, scene) for i, scene in enumerate(run["scenes"], 1))
    head = f"<p><strong>{escape(run['title'])}</strong></p>" if run["title"] else ""
    return f"{head}<table>{rows}</table>{_image(run['scenes'][-1])}"


def _row(number: int, scene: Mapping[str, Any]) -> str:
    cells = (str(number), _title(scene), scene["caption"])
    return "<tr>" + "".join(f"<td {CELL}>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _image(scene: Mapping[str, Any]) -> str:
    data = b64encode(_standing_alone(scene["svg"]).encode()).decode()
    alt = escape(scene["alt"], quote=True)
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'


def _standing_alone(svg: str) -> str:
    # an image sees no style sheet of the page it stands on
    head, mark, rest = svg.partition(">")
    return svg if "<style" in svg else f"{head}{mark}<style>{style()}</style>{rest}"


def _run_text(run: Mapping[str, Any]) -> str:
    head = [run["title"]] if run["title"] else []
    return "\n\n".join(head + [_scene_text(i, s) for i, s in enumerate(run["scenes"], 1)])


def _scene_text(number: int, scene: Mapping[str, Any]) -> str:
    return "\n".join([f"{number}. {_title(scene)}", scene["caption"], scene["alt"]])


def _title(scene: Mapping[str, Any]) -> str:
    return scene["title"] + (" (illustration)" if scene["illustration"] else "")
