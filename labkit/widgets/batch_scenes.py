"""The scenes of a loading program: who needs, reads and holds which rows, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from labkit import draw
from labkit.draw.letters import cuts
from labkit.draw.load import rows_text
from labkit.draw.words import count, process_names, process_of, spec_text
from labkit.errors import NotArrived, ProcessError
from labkit.facts import Array, Load, Process, RollCall, Row, Scene
from labkit.widgets.batch_facts import Loaded, times
from labkit.widgets.batch_ways import Way
from labkit.widgets.copies import claim
from labkit.widgets.scenes import WIDTH, line_of, scene


def scenes(loaded: Loaded, way: Way, processes: Sequence[Process], source: str) -> list[Scene]:
    """From who needs which rows to what the batch came to.

    Args:
        loaded: what the processes told.
        way: how they loaded.
        processes: the lab's processes.
        source: the program they ran.
    """
    return [
        *_claimed(loaded, processes, source),
        scene("Who reads", _matrix(loaded, loaded.readers), _reads(loaded, way), source, way.reads),
        *_held(loaded, processes, source),
    ]


def _matrix(loaded: Loaded, lines: Sequence[Load]) -> draw.Picture:
    return draw.load(lines, loaded.slices, images(loaded.table), most=WIDTH)


def images(table: np.ndarray) -> list[np.ndarray]:
    """The rows as pictures, 0 to 1, where they are digits of 8 × 8 pixels."""
    return [row.reshape(8, 8) / 16 for row in table] if table.shape[1] == 64 else []


def _claimed(loaded: Loaded, processes: Sequence[Process], source: str) -> Iterator[Scene]:
    batch = loaded.found["batch"]
    if loaded.holders and len(loaded.arrays) == len(batch.views):
        picture = draw.variables(claim(batch), processes, values=False, width=WIDTH)
        yield scene("Who needs what", picture, _needs(loaded), source, "sharding =")


def _needs(loaded: Loaded) -> str:
    if len(loaded.arrays) > 1:
        return _beliefs(loaded)
    (array,) = loaded.arrays
    length, (group,) = array.shape[0], cuts(loaded.found["batch"])
    copies = len(array.shards) // len(group)
    shared = [{process_of(s.device) for s in cut.shards} for cut in group]
    most = max(len(who) for who in shared)
    told = f"{spec_text(array.spec)} cuts {length} rows into {count(len(group), 'slice')}"
    told += f", each on {count(copies, 'device')}."
    if most > 1:
        told += f" {process_names(shared[0])} need the same rows."
    else:
        told += " No two processes need the same rows."
    return told + f" The batch has {loaded.rows} rows." * (length != loaded.rows)


def _beliefs(loaded: Loaded) -> str:
    views = [v for v in loaded.found["batch"].views if isinstance(v.value, Array)]
    told = [f"{process_names(v.processes)}: {v.value.shape[0]} rows" for v in views]
    return f"The processes do not agree on how long the batch is. {'; '.join(told)}."


def _reads(loaded: Loaded, way: Way) -> str:
    factor = loaded.nbytes / loaded.batch_bytes
    told = f"{way.says} Read: {count(loaded.nbytes, 'byte')}, {factor:.3g} times the batch."
    often = max(times(line.rows) for line in loaded.readers)
    return told + f" Some rows {often} times in one process." * (often > 1)


def _held(loaded: Loaded, processes: Sequence[Process], source: str) -> Iterator[Scene]:
    if not loaded.holders:
        return
    picture = draw.variables(loaded.found["batch"], processes, width=WIDTH)
    yield scene("What devices hold", picture, _copies(loaded), source, "batch =")
    yield scene("Row by row", _matrix(loaded, loaded.holders), _rows(loaded), source, "end =")


def _copies(loaded: Loaded) -> str:
    copies = [len(cut.shards) for group in cuts(loaded.found["batch"]) for cut in group]
    if max(copies) == 1:
        return "Each device holds the only copy of its slice."
    if loaded.differ:
        return "Devices that should hold copies of one slice hold other rows. No error came."
    return "Copies of a slice were compared, bit by bit: all are equal."


def _rows(loaded: Loaded) -> str:
    told = [f"{rows_text(loaded.nowhere)}: nowhere."] * bool(loaded.nowhere)
    told += [f"{rows_text(loaded.twice)}: at more than one place."] * bool(loaded.twice)
    told += ["Copies differ."] * loaded.differ
    said = " ".join(line[0].upper() + line[1:] for line in told)
    said = said or "Every row of the batch is there, in one place, and all its copies are equal."
    return said + f" {loaded.early}: building it waited for nobody." * bool(loaded.early)


def failed(
    error: ProcessError, loaded: Loaded, way: Way, processes: Sequence[Process], source: str
) -> list[Scene]:
    """What was read and built before it failed, and what failed where."""
    rows = tuple(_row(error, process.index) for process in processes)
    picture = draw.roll_call(RollCall(rows), processes)
    first = next(iter(error.by_process.values()))
    line = first.lines[-1][1] if first.lines else 0
    told = [f"{first.type}: {first.message}", *(first.help.lines if first.help else ())]
    last = Scene("The error", picture.bare, "\n".join(told), picture.text, source, line)
    return [*scenes(loaded, way, processes, source), last]


def _row(error: ProcessError, process: int) -> Row:
    failure = error.by_process.get(process)
    if failure is None:
        return Row(process, "ended")
    _, line, text = failure.lines[-1] if failure.lines else ("", 0, "")
    return Row(process, "failed", line, text.strip(), how=failure.type)


def missing(error: NotArrived, way: Way, processes: Sequence[Process], source: str) -> list[Scene]:
    """Who waits where, and who does not come."""
    picture = draw.roll_call(error.roll_call, processes)
    waiting = [row.line for row in error.roll_call if row.line]
    line = waiting[0] if waiting else line_of(source, "batch =")
    told = f"{way.says} {error.roll_call.cause}".strip()
    return [Scene("Roll call", picture.bare, told, picture.text, source, line)]
