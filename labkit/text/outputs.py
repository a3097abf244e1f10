"""What processes printed and returned, as parts; equal outputs folded, differing lines marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labkit.facts import Failure, Output
from labkit.text.words import process_names

ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
"""What a terminal takes as a command: colours and movements, and titles and links."""


@dataclass(frozen=True)
class Part:
    """One thing under another in a column.

    Attributes:
        lines: it as text.
        bundle: a mime bundle that says more than its text: HTML or an image.
        error: an exception; its text is in ``lines`` too.
        kind: ``"text"``, ``"rich"``, ``"error"``, ``"help"`` or ``"status"``.
    """

    kind: str
    lines: tuple[str, ...]
    bundle: Mapping[str, Any] | None = None
    error: Failure | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Column:
    """The output that some processes have in common.

    Attributes:
        processes: their indices.
        name: ``"process 1"``, ``"processes 0, 2"`` or ``"all 2 processes"``.
        parts: what there is, in order; empty where a process gave nothing.
    """

    processes: tuple[int, ...]
    name: str
    parts: tuple[Part, ...]


def folded(outputs: Sequence[Output], total: int) -> list[Column]:
    """Equal outputs as one column each, in order of their first process.

    Args:
        outputs: one a process that ran the cell.
        total: how many processes the lab has.
    """
    # Tracebacks are no part of a part's repr: they hold addresses, which always differ.
    groups: dict[str, list[Output]] = {}
    for output in sorted(outputs, key=lambda output: output.process):
        groups.setdefault(repr(_parts(output)), []).append(output)
    said: dict[Part, str] = {}
    return [_column(members, total, said) for members in groups.values()]


def _column(members: Sequence[Output], total: int, said: dict[Part, str]) -> Column:
    indices = tuple(output.process for output in members)
    every = len(indices) == total > 1
    name = f"all {total} processes" if every else process_names(indices)
    return Column(indices, name, tuple(_once(part, name, said) for part in _parts(members[0])))


def _once(part: Part, name: str, said: dict[Part, str]) -> Part:
    """The part, or where the same help stands already."""
    if part.kind != "help":
        return part
    first = said.setdefault(part, name)
    return part if first == name else Part("help", (f"Explained under {first}.",))


def _parts(output: Output) -> list[Part]:
    parts = [Part("text", _lines(output.text))] if output.text else []
    parts += [_rich(bundle) for bundle in (*output.displays, output.result) if bundle]
    parts += [_error(output.error)] if output.error else []
    parts += [Part("help", output.error.help.lines)] if output.error and output.error.help else []
    return parts + ([Part("status", _lines(output.status))] if output.status else [])


def _rich(bundle: Mapping[str, Any]) -> Part:
    plain = _lines(_joined(bundle.get("text/plain", "")))
    if any(kind == "text/html" or kind.startswith("image/") for kind in bundle):
        return Part("rich", plain or (f"({', '.join(bundle)})",), bundle)
    return Part("text", plain)


def _error(failure: Failure) -> Part:
    own = (f"{cell}, line {number}:  {text.strip()}" for cell, number, text in failure.lines)
    return Part("error", (*own, *_lines(f"{failure.type}: {failure.message}")), error=failure)


def _joined(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _lines(text: str) -> tuple[str, ...]:
    """The lines as a terminal would leave them: no colours, nothing that was written over."""
    plain = ANSI.sub("", text).replace("\r\n", "\n").rstrip("\n")
    if not plain:
        return ()
    return tuple(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))


def differing(columns: Sequence[Column]) -> set[str]:
    """The lines, printed or returned, that are not in every column."""
    if len(columns) < 2:
        return set()
    seen = [
        {line for part in column.parts if part.kind in ("text", "rich") for line in part.lines}
        for column in columns
    ]
    return set.union(*seen) - set.intersection(*seen)


def columns_text(columns: Sequence[Column]) -> str:
    """The columns under each other, ``≠`` before each line that is not in all of them."""
    marked = differing(columns)
    return "\n".join(line for column in columns for line in _column_lines(column, marked))


def _column_lines(column: Column, marked: set[str]) -> Iterator[str]:
    yield column.name if column.parts else f"{column.name}: no output"
    for part in column.parts:
        for line in part.lines:
            mark = ("≠ " if line in marked else "  ") if marked else ""
            yield f"  {mark}{'… ' * (part.kind == 'status')}{line}".rstrip()
