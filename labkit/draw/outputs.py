"""What a cell gave in each process: one column a process, equal outputs folded.

A table with inline styles, because JupyterLab takes ``<style>`` and SVG out of a notebook that it
does not trust; greys and tints are half transparent, so that they fit light and dark.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from labkit.draw.picture import Picture
from labkit.facts import Failure, Output, Process
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
MARK = '<span style="font-weight:700;user-select:none">≠\u00a0</span>'
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
    band = "".join(f'<div style="{BAND}">{escape(line)}</div>' for line in band_lines(why))
    return Picture(text, html=f'<div class="lk-columns">{band}{_table(found)}</div>')


def _table(found: Sequence[Column]) -> str:
    across, marked = _across(found), differing(found)
    rows = [found[i : i + across] for i in range(0, len(found), across)]
    body = "".join(_row(row, marked, across) for row in rows)
    style = "table-layout:fixed;width:100%;max-width:700px;border-collapse:collapse;margin:0"
    return f'<table style="{style}"><tbody>{body}</tbody></table>'


def _across(found: Sequence[Column]) -> int:
    """How many columns stand side by side so that most lines do not wrap: one to four."""
    lines = [line for column in found for part in column.parts for line in part.lines]
    longest = max((len(line) for line in lines), default=0)
    most = 4 if longest <= 18 else 3 if longest <= 26 else 2
    rows = -(-len(found) // most)
    return max(-(-len(found) // max(rows, 1)), 1)


def _row(row: Sequence[Column], marked: set[str], across: int) -> str:
    cells = "".join(_cell(column, marked) for column in row)
    empty = f'<td style="{CELL};border:none"></td>' * (across - len(row))
    return f'<tr style="background:none">{cells}{empty}</tr>'


def _cell(column: Column, marked: set[str]) -> str:
    name = f'<div style="font-weight:600;margin:0 0 4px">{escape(column.name)}</div>'
    body = "".join(_part(part, marked) for part in column.parts)
    indices = " ".join(map(str, column.processes))
    nothing = '<div style="opacity:.75">no output</div>'
    return f'<td style="{CELL}" data-processes="{indices}">{name}{body or nothing}</td>'


def _part(part: Part, marked: set[str]) -> str:
    if part.bundle:
        return _rich(part.bundle)
    lines = "\n".join(_line(line, marked) for line in part.lines)
    if part.error:
        return f'<pre style="{ERROR}">{lines}</pre>{_traceback(part.error)}'
    if part.kind == "help":
        return f'<div style="{HELP}">{"".join(map(_sentence, part.lines))}</div>'
    if part.kind == "status":
        return f'<div style="font-style:italic;opacity:.8">… {escape(" ".join(part.lines))}</div>'
    return f'<pre style="{PRE}">{lines}</pre>'


def _line(line: str, marked: set[str]) -> str:
    if not marked:
        return escape(line)
    return (MARK if line in marked else "  ") + escape(line)


def _sentence(line: str) -> str:
    head, colon, rest = line.partition(": ")
    code = re.sub("`([^`]+)`", r"<code>\1</code>", escape(rest or line))
    return f"<div>{f'<b>{head}:</b> ' * bool(colon)}{code}</div>"


def _traceback(failure: Failure) -> str:
    if not failure.traceback:
        return ""
    style = f"{PRE};font-size:11px"
    whole = f'<pre style="{style}">{escape(failure.traceback)}</pre>'
    return f'<details><summary style="cursor:pointer">whole traceback</summary>{whole}</details>'


def _rich(bundle: Mapping[str, Any]) -> str:
    """HTML as it is, an image as data of its own."""
    if "text/html" in bundle:
        html = bundle["text/html"]
        return (
            f'<div style="overflow-x:auto">{html if isinstance(html, str) else "".join(html)}</div>'
        )
    kind = next(kind for kind in bundle if kind.startswith("image/"))
    alt = escape(str(bundle.get("text/plain", "an image")))
    return f'<img alt="{alt}" style="max-width:100%" src="{_data(kind, bundle[kind])}">'


def _data(kind: str, content: Any) -> str:
    content = content if isinstance(content, str | bytes) else "".join(content)
    if kind == "image/svg+xml":
        content = base64.b64encode(content.encode("utf-8")).decode("ascii")
    elif isinstance(content, bytes):
        content = base64.b64encode(content).decode("ascii")
    return f"data:{kind};base64,{escape(''.join(content.split()))}"
