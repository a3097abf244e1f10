"""What a cell gave in each process: one column a process, equal outputs folded.

A table with inline styles, because JupyterLab takes ``<style>`` and SVG out of a notebook that it
does not trust; greys and tints are half transparent, so that they fit light and dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labkit.draw.picture import Picture
from labkit.facts import Failure, Output, Process
from labkit.text.markup import bundle_uri, element, escaped, image, marked, worded
from labkit.text.outputs import Column, Part, columns_text, differing, folded
from labkit.text.words import band_lines

CELL = (
    "text-align:left;vertical-align:top;padding:6px 10px;background:none;"
    "border:1px solid rgba(128,128,128,.35)"
)
PRE = "margin:0;padding:0;white-space:pre-wrap;overflow-wrap:anywhere;text-align:left"
BAND = (
    "margin:0 0 6px;padding:7px 12px;font-weight:600;border:1px solid #d55e00;background:"
    "repeating-linear-gradient(135deg,rgba(213,94,0,.16) 0 6px,rgba(213,94,0,.05) 6px 12px)"
)
MARK = worded("span", "≠\u00a0", style="font-weight:700;user-select:none")
ERROR = f"{PRE};padding-left:8px;border-left:3px solid #d55e00"
HELP = (
    "margin:6px 0 0;padding:4px 8px;border-left:3px solid #0072b2;overflow-wrap:anywhere;"
    "background:rgba(0,114,178,.1)"
)


def columns(outputs: Sequence[Output], processes: Sequence[Process], why: str = "") -> Picture:
    """One column a process in fixed order; processes with equal outputs share one.

    Args:
        outputs: what each process that ran the cell made of it.
        processes: all processes of the lab.
        why: why no number may be trusted; empty when they may.
    """
    found = folded(outputs, len(processes))
    text = "\n".join([*band_lines(why), columns_text(found)])
    band = (worded("div", line, style=BAND) for line in band_lines(why))
    return Picture(text, html=element("div", *band, _table(found), class_="lk-columns"))


def _table(found: Sequence[Column]) -> str:
    across, odd = _across(found), differing(found)
    rows = [found[i : i + across] for i in range(0, len(found), across)]
    body = element("tbody", *(_row(row, odd, across) for row in rows))
    style = "table-layout:fixed;width:100%;max-width:700px;border-collapse:collapse;margin:0"
    return element("table", body, style=style)


def _across(found: Sequence[Column]) -> int:
    """How many columns stand side by side so that most lines do not wrap: one to four."""
    lines = [line for column in found for part in column.parts for line in part.lines]
    longest = max((len(line) for line in lines), default=0)
    most = 4 if longest <= 18 else 3 if longest <= 26 else 2
    rows = -(-len(found) // most)
    return max(-(-len(found) // max(rows, 1)), 1)


def _row(row: Sequence[Column], odd: set[str], across: int) -> str:
    cells = [_cell(column, odd) for column in row]
    cells += [element("td", style=f"{CELL};border:none")] * (across - len(row))
    return element("tr", *cells, style="background:none")


def _cell(column: Column, odd: set[str]) -> str:
    name = worded("div", column.name, style="font-weight:600;margin:0 0 4px")
    parts = [_part(part, odd) for part in column.parts]
    parts = parts or [worded("div", "no output", style="opacity:.75")]
    indices = " ".join(map(str, column.processes))
    return element("td", name, *parts, style=CELL, data_processes=indices)


def _part(part: Part, odd: set[str]) -> str:
    if part.bundle:
        return _rich(part.bundle)
    lines = "\n".join(_line(line, odd) for line in part.lines)
    if part.error:
        return element("pre", lines, style=ERROR) + _traceback(part.error)
    if part.kind == "help":
        return element("div", *map(_sentence, part.lines), style=HELP)
    if part.kind == "status":
        return worded("div", f"… {' '.join(part.lines)}", style="font-style:italic;opacity:.8")
    return element("pre", lines, style=PRE)


def _line(line: str, odd: set[str]) -> str:
    if not odd:
        return escaped(line)
    return (MARK if line in odd else "  ") + escaped(line)


def _sentence(line: str) -> str:
    head, colon, rest = line.partition(": ")
    name = [worded("b", f"{head}:"), " "] if colon else []
    return element("div", *name, marked(rest or line))


def _traceback(failure: Failure) -> str:
    if not failure.traceback:
        return ""
    head = worded("summary", "whole traceback", style="cursor:pointer")
    whole = worded("pre", failure.traceback, style=f"{PRE};font-size:11px")
    return element("details", head, whole)


def _rich(bundle: Mapping[str, Any]) -> str:
    """HTML as it is, an image as data of its own."""
    if "text/html" in bundle:
        return element("div", "".join(bundle["text/html"]), style="overflow-x:auto")
    kind = next(kind for kind in bundle if kind.startswith("image/"))
    alt = str(bundle.get("text/plain", "an image"))
    return image(alt, bundle_uri(kind, bundle[kind]), style="max-width:100%")
