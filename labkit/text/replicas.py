"""A report on copies in words: for terminals, tests and screen readers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import numpy as np

from labkit.facts import Copies, Leaf, ReplicaReport
from labkit.text.letters import letter, prime
from labkit.text.numbers import writer
from labkit.text.tree_rows import Row, rows
from labkit.text.words import (
    band_lines,
    count,
    device_names,
    shaped_type,
    size_text,
    slice_text,
    spec_text,
)

DETAILS, ROWS, VALUES = 8, 60, 6
"""Leaves that are told in detail, rows of the tree, groups whose values are told."""


def report_text(report: ReplicaReport) -> str:
    """The whole report."""
    lines = [*band_lines(report.why), f"{report.name}  {verdict(report)}", f"  {effort(report)}"]
    lines += [f"  {line}" for line in notes(report)]
    lines += [f"  {line}" for line in _tree(report)]
    for leaf in report.differing[:DETAILS]:
        lines += ["", *leaf_lines(report, leaf)]
    rest = len(report.differing) - DETAILS
    return "\n".join(lines + [f"\n… and {count(rest, 'more leaf', 'more leaves')}"] * (rest > 0))


def _tree(report: ReplicaReport) -> Iterator[str]:
    made = rows(report.leaves)
    yield from ("  " * row.depth + row_text(report, row) for row in made[:ROWS])
    if len(made) > ROWS:
        yield f"… {count(len(made) - ROWS, 'more row')}"


def verdict(report: ReplicaReport) -> str:
    """``"all copies agree"``, or what does not."""
    if not any(leaf.checked for leaf in report.leaves) and report.agree:
        return "nothing to compare: no device holds a copy of what another one holds"
    if report.agree:
        return f"all copies agree, in {count(len(report.leaves), 'leaf', 'leaves')}"
    differ = f"{len(report.differing):,} of {count(len(report.leaves), 'leaf', 'leaves')}"
    return f"{differ} {'differs' if len(report.differing) == 1 else 'differ'}"


def effort(report: ReplicaReport) -> str:
    """``"400 copies compared, 800 MB hashed in 0.04 s"``."""
    copies = sum(leaf.checked for leaf in report.leaves)
    return f"{count(copies, 'copy', 'copies')} compared, {size_text(report.nbytes)} hashed" + (
        f" in {report.seconds:.2f} s" * (report.seconds > 0)
    )


def notes(report: ReplicaReport) -> Iterator[str]:
    """How the tree was come by, what was mended and what could not be."""
    if report.note:
        yield report.note
    if report.fixed:
        yield f"made equal: {', '.join(title(report.name, path) for path in report.fixed)}"
    yield from (f"not mended: {line}" for line in report.left)
    own = [leaf for leaf in report.leaves if leaf.own]
    if own and len(own) == len(report.leaves):
        yield "each process has arrays of its own here; they were compared with each other"


def title(name: str, path: str) -> str:
    """How a leaf is written: ``"params['w']"``, also where several trees were given."""
    alone = _part(name, path)
    if alone:
        return alone
    given = ast.parse(name, mode="eval").body if name.strip() else None
    return f"{name}{path}" if isinstance(given, ast.Name | ast.Attribute | ast.Subscript) else path


def _part(name: str, path: str) -> str:
    """A path within one of several trees; nothing where one was given."""
    given = ast.parse(name, mode="eval").body if name.strip() else None
    head = re.match(r"\[(\d+)\]", path)
    if isinstance(given, ast.Tuple | ast.List) and head and int(head[1]) < len(given.elts):
        return ast.unparse(given.elts[int(head[1])]) + path[head.end() :]
    return ""


def row_name(report: ReplicaReport, row: Row) -> str:
    """A row's piece of the path; of several trees, the tree's own name."""
    return (not row.depth and _part(report.name, row.name)) or row.name


def row_text(report: ReplicaReport, row: Row) -> str:
    """``"≠ ['w']  float32[4,8]  differs"``."""
    wrong = sum(not leaf.agree for leaf in row.leaves)
    mark = "≠" if wrong else "=" if any(leaf.checked for leaf in row.leaves) else "·"
    name = f"{mark} {row_name(report, row)}".rstrip()
    return "  ".join(part for part in (name, *row_words(row)) if part)


def row_words(row: Row) -> tuple[str, str]:
    """What is under a row, and how it stands with it."""
    if row.open:
        return "", ""
    if len(row.leaves) > 1:
        return f"{len(row.leaves)} leaves, {size_text(sum(x.nbytes for x in row.leaves))}", "agree"
    (leaf,) = row.leaves
    if leaf.agree:
        return leaf_type(leaf), "" if leaf.checked else "no second copy"
    return leaf_type(leaf), "differs" if leaf.copies and not leaf.problem else leaf.problem


def leaf_type(leaf: Leaf) -> str:
    """``"float32[4,8] P('data')"``."""
    return f"{entry_type(leaf.dtype, leaf.shape)} {spec_text(leaf.spec)}".rstrip()


def entry_type(dtype: str, shape: Sequence[int]) -> str:
    """``"float32[4,8]"``; a tree has plain numbers too: without a shape, the type alone."""
    return shaped_type(dtype, shape) if shape else dtype


def leaf_lines(report: ReplicaReport, leaf: Leaf) -> Iterator[str]:
    """One leaf that differs, in detail."""
    yield f"{title(report.name, leaf.path)}  {leaf_type(leaf)}"
    if leaf.problem:
        yield f"  {leaf.problem}"
    for number, copies in enumerate(leaf.copies[:4]):
        yield f"  {groups_words(leaf, copies, number)}"
        yield from (f"    {line}" for line in numbers_words(leaf, copies))
        yield from (f"    {line}" for line in _values(leaf, copies, number))
    if len(leaf.copies) > 4:
        yield f"  … and {count(len(leaf.copies) - 4, 'more slice')}"


def groups_words(leaf: Leaf, copies: Copies, number: int) -> str:
    """``"[0:2, :]: A on p0·d0-d3; A′ on p1·d1"``."""
    names = marks(copies, number)
    groups = zip(names, copies.groups, strict=True)
    held = "; ".join(f"{mark} on {device_names(group)}" for mark, group in groups)
    return where(leaf, copies) + held


def where(leaf: Leaf, copies: Copies) -> str:
    """``"[0:2, :]: "``; nothing for a slice that is all of it."""
    whole = all(span == (0, size) for span, size in zip(copies.index, leaf.shape, strict=False))
    return "" if whole else f"{slice_text(copies.index, leaf.shape)}: "


def marks(copies: Copies, number: int) -> list[str]:
    """One mark a group: ``["A", "A′"]``; the next slice has ``B``."""
    return [letter(number) + prime(n) for n in range(len(copies.groups))]


def numbers_words(leaf: Leaf, copies: Copies) -> Iterator[str]:
    """Where, how many, by how much; nothing where elements could not be compared."""
    if copies.first_index is None:
        return
    size = int(np.prod([stop - start for start, stop in copies.index], dtype=np.int64))
    least = "" if copies.whole else "at least "
    yield f"{least}{copies.count:,} of {count(size, 'element')} " + (
        f"{'differs' if copies.count == 1 else 'differ'}" + at_words(leaf, copies)
    )
    if copies.max_abs_diff is not None:
        yield f"largest difference {copies.max_abs_diff:.6g}"
    if copies.nan_one_sided:
        yield f"{count(copies.nan_one_sided, 'element')} NaN in one copy only"
    if copies.nan_payload:
        yield f"{count(copies.nan_payload, 'element')} NaN in all, with other bits"
    if copies.zeros:
        yield f"{count(copies.zeros, 'element')} 0.0 here and -0.0 there"


def at_words(leaf: Leaf, copies: Copies) -> str:
    """``", first at [3, 5]"``."""
    at = ", ".join(map(str, copies.first_index or ()))
    return f", first at [{at}]" if leaf.shape else ""


def _values(leaf: Leaf, copies: Copies, number: int) -> Iterator[str]:
    values = first_values(leaf, copies)
    for mark, value in list(zip(marks(copies, number), values, strict=False))[:VALUES]:
        yield f"{mark}: {value}"
    if len(values) > VALUES:
        yield f"… and of {count(len(values) - VALUES, 'more group')}"


def first_values(leaf: Leaf, copies: Copies) -> list[str]:
    """Each group's element at the first difference."""
    if not copies.values or copies.first_index is None:
        return []
    write = writer(list(copies.values), leaf.dtype, 7)
    within = zip(copies.first_index, copies.corner, strict=True)
    at = tuple(index - corner for index, corner in within)
    return [write(value[at]) for value in copies.values]
