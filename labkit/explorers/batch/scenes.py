"""The scenes of a loading program: who needs, reads and holds which rows, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from labkit import draw
from labkit.errors import NotArrived, ProcessError
from labkit.explorers.batch.outcome import Loaded, times
from labkit.explorers.batch.programs import Way
from labkit.explorers.replica_copies import claim
from labkit.explorers.scenes import line_of, scene
from labkit.facts import Array, Process, ProcessStatus, RollCall, RowsRead, Scene
from labkit.facts.labels import process_of
from labkit.text.letters import cuts
from labkit.text.loading import rows_text
from labkit.text.words import count, process_names, spec_text
from labkit.widgets.stage import WIDTH


def scenes(loaded: Loaded, processes: Sequence[Process], source: str) -> list[Scene]:
    """From who needs which rows to what the batch came to.

    Args:
        loaded: what the processes told.
        processes: the lab's processes.
        source: the program they ran.
    """
    reads = _matrix(loaded, loaded.readers)
    return [
        *_claimed(loaded, processes, source),
        scene("Who reads", reads, _reads(loaded), source, loaded.way.reads),
        *_held(loaded, processes, source),
    ]


def compared(costs: Sequence[RowsRead], source: str) -> Scene:
    """The right ways that have run on this mesh, beside each other."""
    told = (
        "Bytes that all readers took together, and the time of the slowest process, in one run "
        "each. It includes compiling. Choose other ways to see them here as well."
    )
    return scene("What it cost", draw.costs(costs, most=WIDTH), told, source, "end =")


def _matrix(loaded: Loaded, lines: Sequence[RowsRead]) -> draw.Picture:
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
    who = [{process_of(s.device) for s in cut.shards} for cut in group]
    told = f"{spec_text(array.spec)} cuts {length} rows into {count(len(group), 'slice')}"
    told += f", each on {count(len(array.shards) // len(group), 'device')}. "
    told += _sharing(who)
    return told + f" But the batch has {loaded.rows} rows." * (length != loaded.rows)


def _sharing(who: Sequence[set[int]]) -> str:
    """``"Processes 0, 1 need the same rows, and so do processes 2, 3."``."""
    groups = list(dict.fromkeys(tuple(sorted(w)) for w in who if len(w) > 1))
    if not groups:
        return "No two processes need the same rows."
    first, *others = (process_names(group) for group in groups)
    return _begun(f"{first} need the same rows{''.join(f', and so do {o}' for o in others)}.")


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]


def _beliefs(loaded: Loaded) -> str:
    views = [v for v in loaded.found["batch"].views if isinstance(v.value, Array)]
    told = [f"{process_names(v.processes)}: {v.value.shape[0]} rows" for v in views]
    return f"The processes do not agree on how long the batch is. {_begun('; '.join(told))}."


def _reads(loaded: Loaded) -> str:
    factor = loaded.nbytes / loaded.batch_bytes
    told = f"{loaded.way.says} {count(loaded.nbytes, 'byte')} were read, {factor:.3g}× the batch"
    often = max(times(line.rows) for line in loaded.readers)
    return told + f"; some rows {often}× in one process." if often > 1 else told + "."


def _held(loaded: Loaded, processes: Sequence[Process], source: str) -> Iterator[Scene]:
    if loaded.holders:
        picture = draw.variables(loaded.found["batch"], processes, width=WIDTH)
        yield scene("What devices hold", picture, _copies(loaded), source, "batch =")
        rows = _matrix(loaded, loaded.holders)
        yield scene("Row by row", rows, _rows(loaded), source, "batch =")


def _copies(loaded: Loaded) -> str:
    copies = [len(cut.shards) for group in cuts(loaded.found["batch"]) for cut in group]
    if max(copies) == 1:
        return "Each device holds the only copy of its slice: there is nothing to compare."
    if loaded.differ:
        return "Devices that should hold copies of one slice hold other rows. No error came."
    return "Copies of a slice were compared, bit by bit: all are equal."


def _rows(loaded: Loaded) -> str:
    told = [_beliefs(loaded)] * (len(loaded.arrays) > 1)
    told += [_begun(f"{rows_text(loaded.nowhere)}: on no device.")] * bool(loaded.nowhere)
    told += [_begun(f"{rows_text(loaded.twice)}: at two places.")] * bool(loaded.twice)
    told += [
        "Copies of one slice hold other rows, so what a step computes with depends on the device."
    ] * loaded.differ
    right = "Every row of the batch is there, at one place, and all its copies are equal."
    right += " On this mesh the trap does no harm: choose another data axis." * loaded.way.trap
    late = f" {_begun(loaded.early)}: building it waits for nobody." if loaded.early else ""
    return (" ".join(told) or right) + late + _instead(loaded.way) * bool(told)


def _instead(way: Way) -> str:
    return f" Instead: {way.instead}" if way.instead else ""


def failed(
    error: ProcessError, loaded: Loaded, processes: Sequence[Process], source: str
) -> list[Scene]:
    """What was read and built before it failed, and what failed where."""
    rows = tuple(_row(error, process.index) for process in processes)
    picture = draw.roll_call(RollCall(rows), processes)
    first = next(iter(error.by_process.values()))
    line = first.lines[-1][1] if first.lines else 0
    told = [f"{first.type}: {first.message}", _instead(loaded.way).strip()]
    last = Scene("The error", picture.unlabelled, "\n".join(told), picture.text, source, line)
    return [*scenes(loaded, processes, source), last]


def _row(error: ProcessError, process: int) -> ProcessStatus:
    failure = error.by_process.get(process)
    if failure is None:
        return ProcessStatus(process, "ended")
    _, line, text = failure.lines[-1] if failure.lines else ("", 0, "")
    return ProcessStatus(process, "failed", line, text.strip(), how=failure.type)


def missing(error: NotArrived, way: Way, processes: Sequence[Process], source: str) -> list[Scene]:
    """Who waits where, and who does not come."""
    picture = draw.roll_call(error.roll_call, processes)
    line = next((row.line for row in error.roll_call if row.line), line_of(source, "batch ="))
    told = way.says + _instead(way)
    return [Scene("Roll call", picture.unlabelled, told, picture.text, source, line)]
