"""The collectives of a compiled program, read from its text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from labkit.facts import Collective, Source
from labkit.facts.hlo import CALL, GROUPS

_LINE = re.compile(rf"^\s*(?:ROOT )?%?[\w.-]+ = (.*?) {CALL}(.*)$", re.M)
_GROUPS = re.compile(GROUPS)
_PAIRS = re.compile(r"\bsource_target_pairs=\{((?:\{\d+,\d+\},?)*)\}")
_SHAPE = re.compile(r"\b(pred|[a-z]+(\d+)\w*)\[([\d,]*)\]")
_TABLE = re.compile(r"^(FileNames|FileLocations|StackFrames)\n((?:\d+ .*\n?)+)", re.M)
_STRANGE = re.compile(r"site-packages|/labkit/|^<")
# Result and what one device gives in: a gather's result has the parts of all n, a scatter's one.
_GIVEN = {"all-gather": lambda n: 1 / n, "reduce-scatter": lambda n: n}
_MOVED = {
    "all-reduce": lambda n: 2 * (n - 1) / n,
    "all-gather": lambda n: n - 1,
    "reduce-scatter": lambda n: (n - 1) / n,
    "all-to-all": lambda n: (n - 1) / n,
    "collective-permute": lambda n: 1,
}

Places = Sequence[Source]
"""Lines of the learner's that are known with their text and spans."""


def collectives(text: str, devices: Sequence[str], known: Places = ()) -> tuple[Collective, ...]:
    """Every collective of a compiled program, in the order of its text.

    One in a loop stands here once. Where a form is not known, ``text`` has it as it is written.

    Args:
        text: of the program.
        devices: labels of the devices it runs on; groups name them by their places here.
        known: lines of the learner's that operations have been told to come from.
    """
    lines = _Lines(text, known)
    return tuple(_collective(found, devices, lines) for found in _LINE.finditer(text))


def _collective(found: re.Match[str], devices: Sequence[str], lines: _Lines) -> Collective:
    shapes, op, started, rest = found.groups()
    sends = _sends(rest, devices)
    joined = _groups(rest, devices) or tuple(dict.fromkeys(map(_sorted, sends)))
    size = len(joined[0]) if joined else 0
    given = round(_bytes(shapes, bool(started)) * _GIVEN.get(op, lambda n: 1)(max(size, 1)))
    moved = round(given * _MOVED[op](size)) if size and op in _MOVED else 0
    where = lines.at(re.search(r"\bstack_frame_id=(\d+)", rest))
    if op == "collective-permute":
        joined = ()
    return Collective(op, (), joined, sends, given, moved, "compiler", where, found[0].strip())


def _sorted(pair: tuple[str, str]) -> tuple[str, ...]:
    return tuple(sorted(pair))


def _groups(rest: str, devices: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    found = _GROUPS.search(rest)
    numbers = groups(found[1], len(devices)) if found else ()
    if any(n >= len(devices) for group in numbers for n in group):
        return ()
    return tuple(tuple(devices[n] for n in group) for group in numbers)


def _sends(rest: str, devices: Sequence[str]) -> tuple[tuple[str, str], ...]:
    found = _PAIRS.search(rest)
    pairs = re.findall(r"\{(\d+),(\d+)\}", found[1]) if found else []
    return tuple((devices[int(a)], devices[int(b)]) for a, b in pairs if devices)


def _bytes(shapes: str, started: bool) -> int:
    """Of everything in a result's shape; of one that was only started, the half that comes."""
    sizes = [_size(bits, kind, shape) for kind, bits, shape in _SHAPE.findall(shapes)]
    return sum(sizes[len(sizes) // 2 :] if started and len(sizes) > 1 else sizes)


def _size(bits: str, kind: str, shape: str) -> int:
    count = prod(int(n) for n in shape.split(",") if n)
    return count if kind == "pred" else count * int(bits or 0) // 8


class _Lines:
    """The tables at the top of the text: from a frame's number to a learner's line."""

    def __init__(self, text: str, known: Places) -> None:
        tables = {name: dict(_rows(rows)) for name, rows in _TABLE.findall(text)}
        self.files = {n: row.strip('"') for n, row in tables.get("FileNames", {}).items()}
        self.places = tables.get("FileLocations", {})
        self.frames = tables.get("StackFrames", {})
        self.known = {(s.file, s.line, s.span[0]): s for s in reversed(known)}
        self.texts = {(s.file, s.line): s.text for s in known}

    def at(self, found: re.Match[str] | None) -> Source:
        """The innermost line of the learner's own."""
        number, seen = found[1] if found else "", set()
        while number in self.frames and number not in seen:
            seen.add(number)
            frame = _fields(self.frames[number])
            here = _fields(self.places.get(frame.get("file_location_id", ""), ""))
            file = self.files.get(here.get("file_name_id", ""), "")
            if file and not _STRANGE.search(file):
                return self._source(os.path.basename(file), int(here["line"]), int(here["column"]))
            number = frame.get("parent_frame_id", "")
        return Source()

    def _source(self, file: str, line: int, column: int) -> Source:
        plain = Source(file, line, self.texts.get((file, line), ""))
        return self.known.get((file, line, column), plain)


def _rows(table: str) -> Iterator[tuple[str, str]]:
    for row in table.splitlines():
        number, _, rest = row.partition(" ")
        yield number, rest


def _fields(row: str) -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\d+)", row))


Groups = tuple[tuple[int, ...], ...]
"""Numbers of partitions, group by group."""


def groups(text: str, partitions: int) -> Groups:
    """The groups that a collective's ``replica_groups`` names.

    Args:
        text: as compiled programs have it, one of ``{{0,1},{2,3}}``, ``{}``,
            ``[2,2]<=[2,2]T(1,0)`` and ``mesh['i'=2,'j'=2] {'j'}``.
        partitions: how many the program has.

    Returns:
        The groups in order; empty where the text is of another kind.
    """
    if text == "{}":
        return (tuple(range(partitions)),)
    if text.startswith("{{"):
        return tuple(_numbers(group) for group in re.findall(r"\{([\d,]+)\}", text))
    if found := re.fullmatch(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", text):
        shape, sizes, order = (_numbers(part or "") for part in found.groups())
        return _tuples(_counted(sizes, order).reshape(shape))
    if found := re.fullmatch(r"mesh\[([^\]]*)\] \{([^}]*)\}", text):
        return _over_axes(found[1], found[2])
    return ()


def _over_axes(mesh: str, axes: str) -> Groups:
    """One group for each place along the other axes."""
    names = re.findall(r"'([^']*)'=", mesh)
    sizes = tuple(int(size) for size in re.findall(r"'=(\d+)", mesh))
    joined = re.findall(r"'([^']*)'", axes)
    if len(names) != len(sizes) or not set(joined) <= set(names):
        return ()
    others = [i for i, name in enumerate(names) if name not in joined]
    order = (*others, *(names.index(name) for name in joined))
    members = prod(sizes[names.index(name)] for name in joined)
    return _tuples(_counted(sizes, order).reshape(-1, members))


def _counted(sizes: Sequence[int], order: Sequence[int]) -> np.ndarray:
    counted = np.arange(prod(sizes)).reshape(sizes)
    return counted.transpose(order) if order else counted


def _tuples(table: np.ndarray) -> Groups:
    return tuple(tuple(row) for row in table.tolist())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)
