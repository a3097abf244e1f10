"""What stands over a recorded step: its title, its caption, and its line of the program."""

from __future__ import annotations

from collections.abc import Iterator

from labkit.facts import Recording, Source
from labkit.text.recording import agreement, collective_words, place_in_program, skipped_words
from labkit.text.words import spec_text
from labkit.widgets.recording_outline import Entry

TOLD = 2
"""Of so many results a caption says where they are equal; the picture's words say it of all."""

BEFORE = {"compiled": "compiled: ", "call": "the call of "}


def title(entry: Entry) -> str:
    """A few words for the list of steps."""
    return BEFORE.get(entry.kind, "") + entry.step.op


def caption(recording: Recording, entry: Entry, differs: str = "") -> str:
    """What happens in a step and what is equal where, in a few lines."""
    sentences = " ".join(f"{words}." for words in _sentences(entry))
    lines = (differs, entry.told, sentences, entry.step.note, entry.after)
    lines += (_elsewhere(recording, entry),)
    return "\n".join(line for line in lines if line)


def _sentences(entry: Entry) -> Iterator[str]:
    step = entry.step
    if step.collective:
        yield collective_words(step.collective)
    if not step.skipped:  # where it did not run there is nothing to compare
        yield from filter(None, map(agreement, step.gives[:TOLD]))
    if entry.kind == "step" and step.mesh is None:
        cut = [value for value in step.gives[:TOLD] if value.spec is not None]
        yield from (f"{value.name} is laid out as {spec_text(value.spec)}" for value in cut)
    if step.within:
        yield f"Inside {place_in_program(step.within)}"
    if step.skipped:
        yield skipped_words(step)


def _elsewhere(recording: Recording, entry: Entry) -> str:
    """Where a step comes from that is not in the text beside the pictures."""
    source = entry.step.source
    if not source.line or place(recording, source)[0]:
        return ""
    return f"From {source.file}, line {source.line}: {source.text.strip()}"


def place(recording: Recording, source: Source) -> tuple[int, tuple[int, int]]:
    """The line of the recording's text, from 1, and the part of it; (0, (0, 0)) for none."""
    lines = recording.text.rstrip().splitlines()
    line = source.line - recording.first + 1
    if source.file != recording.file or not 0 < line <= len(lines):
        return 0, (0, 0)
    return line, source.span if lines[line - 1] == source.text else (0, 0)
