"""Facts in words: numbers, slices, specs, meshes and who is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from labkit.facts import Array, Mesh, Slice, Thing, Value
from labkit.facts.labels import next_device, place_of

UNITS = ("B", "KiB", "MiB", "GiB")


def short(text: str, limit: int) -> str:
    """The text, its middle replaced by ``…`` and how many characters that hides.

    Args:
        text: one line.
        limit: the most characters to give back, at least 8.
    """
    if len(text) <= limit:
        return text
    kept = limit - len(f"…{len(text)}…")
    head = (kept + 1) // 2
    return f"{text[:head]}…{len(text) - kept}…{text[len(text) - kept + head :]}"


def slice_text(index: Slice, shape: Sequence[int]) -> str:
    """``"[0:2, :]"``: a dimension that is there in full is ``:``; of no dimension, ``"scalar"``."""
    if not index:
        return "scalar"
    spans = zip(index, shape, strict=True)
    return "[" + ", ".join(_span(start, stop, size) for (start, stop), size in spans) + "]"


def _span(start: int, stop: int, size: int) -> str:
    return ":" if (start, stop) == (0, size) else f"{start}:{stop}"


def spec_text(spec: Sequence[Any] | None) -> str:
    """``"P('data', None)"``, or nothing where there is no spec."""
    if spec is None:
        return ""
    return "P(" + ", ".join(repr(entry) for entry in spec) + ")"


def type_text(array: Array | Value) -> str:
    """``"int32[4,8]"``."""
    return shaped_type(array.dtype, array.shape)


def shaped_type(dtype: str, shape: Sequence[int]) -> str:
    """The same of a type and a shape."""
    return f"{dtype}[{','.join(map(str, shape))}]"


def thing_text(thing: Thing, limit: int) -> str:
    """``"int 3"``; a stub's ``...`` is something still to be made."""
    if thing.type == "ellipsis":
        return "not made yet"
    return f"{thing.type} {short(thing.text, limit)}"


def axis_texts(mesh: Mesh) -> tuple[str, ...]:
    """``("data: 2", "model: 4")``."""
    sizes = zip(mesh.axis_names, mesh.shape, strict=True)
    return tuple(f"{name}: {size}" for name, size in sizes)


def process_names(indices: Iterable[int]) -> str:
    """``"process 1"`` or ``"processes 0, 2, 3"``."""
    indices = sorted(indices)
    word = "process" if len(indices) == 1 else "processes"
    return f"{word} {', '.join(str(index) for index in indices)}"


def size_text(size: float) -> str:
    """Three digits of a number of bytes: ``"12 B"``, ``"1.5 MiB"``, ``"763 MiB"``."""
    unit = 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    decimals = 2 if size < 10 else 1 if size < 100 else 0
    return f"{round(size, decimals):g} {UNITS[unit]}"


def count(number: int, word: str, plural: str = "") -> str:
    """``"1 copy"``, ``"2 copies"``."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def place_words(mesh: Mesh, label: str) -> str:
    """Where a device stands in a mesh: ``"data 0, model 1"``."""
    at = np.unravel_index(mesh.devices.index(label), mesh.shape)
    return ", ".join(f"{name} {index}" for name, index in zip(mesh.axis_names, at, strict=True))


def device_names(labels: Sequence[str]) -> str:
    """Labels in a row, runs drawn together: ``"p0·d0-d3 p1·d1"``."""
    runs: list[list[str]] = []
    for label in labels:
        if not (runs and label == next_device(runs[-1][-1])):
            runs.append([])
        runs[-1].append(label)
    return " ".join(_run(run) for run in runs)


def _run(labels: Sequence[str]) -> str:
    if len(labels) < 3:
        return " ".join(labels)
    return f"{labels[0]}-{place_of(labels[-1])}"


def band_lines(why: str) -> list[str]:
    """The band over a picture that is not to be trusted."""
    return [f"not to be trusted: {why}"] if why else []
