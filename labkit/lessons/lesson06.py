"""Lesson 06: load a batch, and the batch question once more."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.lessons.catalog import Exercise, Question
from labkit.lessons.lab_queries import Wrong, ask, attempt, expect

BATCH, ROWS = 12, 24
"""Rows in the batches that checks ask for, and in the file."""

_LAYOUTS = {
    "With the data axis from process to process:": ("2, -1", ""),
    "With the data axis the other way:": ("-1, 2", ".T"),
    "With one slice for all:": ("1, -1", ""),
}
"""What is tried → how the devices are laid out, as data × model."""

_LOADED = """(lambda data: (lambda array: None if array is None else [
    [np.asarray(shard.data)[:, 0].tolist() for shard in
     sorted(array.addressable_shards, key=lambda shard: shard.device.id)],
    sorted(data.read.tolist())])({call}))(Rows(path))"""
"""What each device of a process holds, as first columns, and which rows were read for it."""


def _sharding(layout: tuple[str, str]) -> str:
    shape, turn = layout
    mesh = f'Mesh(np.array(jax.devices()).reshape({shape}){turn}, ("data", "model"))'
    return f'NamedSharding({mesh}, P("data"))'


def _needed(lab: Any, layout: tuple[str, str], batch: int) -> dict[int, list[list[int]]]:
    """Process → the rows of each of its devices, worked out without the processes."""
    total = sum(len(process.devices) for process in lab.processes)
    sizes = tuple(int(size) for size in layout[0].split(","))
    grid = np.arange(total).reshape(sizes)
    grid = grid.T if layout[1] else grid
    each = batch // len(grid)
    of = {int(n): list(range(i * each, (i + 1) * each)) for i, row in enumerate(grid) for n in row}
    rows = iter(range(total))
    return {p.index: [of[next(rows)] for _ in p.devices] for p in lab.processes}


def _span(lab: Any) -> str:
    rows = ask(lab, "[row for rows, _ in needs.values() for row in range(8)[rows]]")[2]
    return f"{rows[0]} to {rows[-1]}" if len(rows) != 2 else f"{rows[0]} and {rows[1]}"


def _waited(lab: Any) -> str:
    return "it waits for process 3" if ask(lab, "built")[0] > 1 else "it goes on"


def _total(lab: Any) -> str:
    found = {int(value) for value in lab.values("total").values()}
    if found == {2800}:
        return "2800"
    return "another number" if len(found) == 1 else "two numbers"


def _check_rows_needed(lab: Any) -> None:
    attempt(lab, "rows_needed")
    for when, layout in _LAYOUTS.items():
        given = ask(lab, f"rows_needed({_sharding(layout)}, {BATCH})")
        need = _needed(lab, layout, BATCH)
        expect(given, {p: sorted({r for d in rows for r in d}) for p, rows in need.items()}, when)


def _check_load_batch(lab: Any) -> None:
    attempt(lab, "load_batch")
    for when, layout in _LAYOUTS.items():
        call = f"load_batch(data, {_sharding(layout)}, {BATCH})"
        given = ask(lab, _LOADED.format(call=call))
        need = _needed(lab, layout, BATCH)
        held = {p: [[100 * row for row in rows] for rows in need[p]] for p in need}
        expect({p: told[0] for p, told in given.items()}, held, f"{when} (first columns)")
        read = {p: sorted({row for rows in need[p] for row in rows}) for p in need}
        expect({p: told[1] for p, told in given.items()}, read, f"{when} (rows read)")


def _check_shuffled_batch(lab: Any) -> None:
    attempt(lab, "shuffled_batch")
    for when, layout in _LAYOUTS.items():
        seen: list[int] = []
        for step in range(ROWS // 8):
            call = f"shuffled_batch(data, {_sharding(layout)}, 8, {step})"
            given = ask(lab, _LOADED.format(call=call))
            seen += _batch(given, _needed(lab, layout, 8), when)
        _require_an_epoch(seen, when)


def _batch(given: dict[int, Any], need: dict[int, list[list[int]]], when: str) -> list[int]:
    """The rows of a batch by their place in it; Wrong where two copies of a place differ."""
    placed: dict[int, int] = {}
    for process, (held, _) in given.items():
        for places, values in zip(need[process], held, strict=True):
            for place, value in zip(places, values, strict=True):
                if placed.setdefault(place, value // 100) != value // 100:
                    raise Wrong(
                        f"{when} row {place} of the batch is row {placed[place]} of the file on "
                        f"one device and row {value // 100} on another, in process {process}."
                    )
    return [placed[place] for place in sorted(placed)]


def _require_an_epoch(seen: list[int], when: str) -> None:
    twice = sorted({row for row in seen if seen.count(row) > 1})
    never = sorted(set(range(ROWS)) - set(seen))
    if twice or never:
        raise Wrong(
            f"{when} in {ROWS // 8} steps of 8 rows, rows {twice} of the file come more than once "
            f"and rows {never} never."
        )
    if seen == sorted(seen):
        raise Wrong(f"{when} the rows come in the order of the file; it was to be shuffled.")


QUESTIONS = (
    Question("06.a", "Which of the eight rows does process 2 need?", _span),
    Question("06.b", "Process 3 comes two seconds late. What does process 0 do?", _waited),
    Question("06.c", "Each process shuffles by its own seed. What will `total` be?", _total),
)

EXERCISES = (
    Exercise(
        "06.1",
        "Which rows this process needs",
        _check_rows_needed,
        (
            "`sharding.addressable_devices_indices_map((batch,))` has one entry for each device of"
            " this process: a tuple with one slice.",
            "`range(batch)[rows]` turns a slice into row numbers, also `slice(None)`.",
            "Two devices may need the same rows: collect them in a set, and sort it.",
        ),
    ),
    Exercise(
        "06.2",
        "Load them, each row once",
        _check_load_batch,
        (
            "You have `rows_needed` from above; `data[np.array(numbers)]` reads these rows.",
            "`jax.make_array_from_process_local_data(sharding, mine, global_shape)` makes it one.",
            "The global shape is `(batch, data.columns)`, however few rows this process read.",
        ),
    ),
    Exercise(
        "06.3",
        "A shuffled epoch, mended",
        _check_shuffled_batch,
        (
            "There are two mistakes: one makes copies differ, the other brings rows again.",
            "Copies agree if all processes have the same order: what is the seed made of?",
            "Batch number `step` is the part of the permutation from `batch * step` to"
            " `batch * (step + 1)`; the stub takes the first rows at every step.",
        ),
    ),
)
