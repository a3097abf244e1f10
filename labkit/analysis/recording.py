"""What each process told of a recorded program, merged into one recording."""

from __future__ import annotations

import linecache
import os
from collections.abc import Sequence

from labkit import facts
from labkit.analysis.divergence import marked
from labkit.analysis.hlo import collectives
from labkit.analysis.steps import Merged, Records


def of_records(
    records: Records, expression: str, processes: Sequence[facts.Process], why: str = ""
) -> facts.Recording:
    """The recording that the processes told together.

    Args:
        records: process index → what it told (see ``labkit.engine.recording.record.record``).
        expression: what was recorded.
        processes: the lab's.
        why: why nothing may be trusted, if so.

    Raises:
        LabError: the processes ran different programs.
    """
    merged = Merged(records)
    file, text, first = _text(*next(iter(records.values()))["text"])
    return marked(
        facts.Recording(
            expression=expression,
            text=text,
            file=file,
            first=first,
            steps=merged.steps,
            arguments=merged.arguments,
            results=merged.results,
            agreement=_agreement(records),
            compiled=_compiled(records, merged.steps),
            processes=tuple(processes),
            notes=tuple(dict.fromkeys(note for r in records.values() for note in r["notes"])),
            why=why,
        )
    )


def _text(file: str, text: str, first: int) -> tuple[str, str, int]:
    """The learner's source; where the processes cannot read it, this process may."""
    if file and not text:
        first, text = 1, "".join(linecache.getlines(file))
    text = text.rstrip("\n")  # a last line with nothing in it would be shown
    return (os.path.basename(file) if os.path.isabs(file) else file), text, first


def _compiled(records: Records, steps: Sequence[facts.Step]) -> tuple[facts.Collective, ...]:
    """Of every program that was compiled: processes with a mesh of their own have one each."""
    told = {(r["compiled"]["text"], r["compiled"]["devices"]) for r in records.values()}
    known = [step.source for step in steps]
    found = (collectives(*one, known) for one in sorted(told, key=lambda one: one[1]))
    return tuple(collective for each in found for collective in each)


def _agreement(records: Records) -> facts.Agreement:
    each = [facts.Agreement(*record["agreement"]) for record in records.values()]
    worst = max(each, key=lambda one: (not one.bitwise, one.largest != one.largest, one.largest))
    return facts.Agreement(worst.bitwise, worst.largest, max(one.scale for one in each))
