"""A recorded program on the stage: one scene a step, alone or beside another recording."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from labkit import draw
from labkit.facts import Collective, Mesh, Recording, Scene, ScenePlace, Step
from labkit.text.words import count, short
from labkit.widgets.recording_alignment import aligned, difference
from labkit.widgets.recording_captions import caption, place, title
from labkit.widgets.recording_outline import Entry, entries
from labkit.widgets.stage import WIDTH, Stage

NARROW = 440
"""Pixels: two such pictures fit where one usually stands."""

METADATA = re.compile(r", metadata=\{[^}]*\}")
"""Of a line of a compiled program: where it comes from, which the source beside it shows."""

NO_STEP = "There is no such step in this recording."


def stage(recording: Recording) -> Stage:
    """A stage that steps through a recorded program.

    Loops, calls and steps that change no number are folded at first.
    """
    return Stage(scenes(recording), why=recording.why)


def beside(first: Recording, second: Recording, titles: Sequence[str] = ()) -> Stage:
    """Two recorded programs side by side, stepped together, at the first step where they part.

    Args:
        first: the one on the left.
        second: the one on the right.
        titles: what stands over them; what was recorded where none are given.
    """
    pairs = aligned(outline(first), outline(second))
    differ = [difference(a, b) for a, b in pairs]
    both, sides = (first, second), zip(*pairs, strict=True)
    runs = [
        {"title": name, "scenes": _scenes(recording, side, differ, NARROW)}
        for recording, side, name in zip(both, sides, titles or _titles(both), strict=True)
    ]
    shown = Stage(runs=runs, why=first.why or second.why)
    shown.step = next((at for at, words in enumerate(differ) if words), 0)
    return shown


def _titles(both: Sequence[Recording]) -> list[str]:
    names = [recording.expression for recording in both]
    return names if len(set(names)) > 1 else [f"{name} ({n})" for n, name in enumerate(names, 1)]


def scenes(recording: Recording, width: float = WIDTH) -> list[Scene]:
    """One scene for the call, one for each step and fold, one for each compiled collective."""
    every = outline(recording)
    return _scenes(recording, every, [""] * len(every), width)


def outline(recording: Recording) -> list[Entry]:
    """What gets a scene, in order."""
    mesh = next((step.mesh for step in recording.steps if step.mesh), None)
    compiled = [_compiled(collective, mesh) for collective in recording.compiled]
    return [_call(recording), *entries(recording), *compiled]


def _call(recording: Recording) -> Entry:
    """The call as a whole: what went in, what came out, and whether it can be believed."""
    name = re.match(r"[\w.]+(?=\(.*\)$)", recording.expression, re.DOTALL)
    op = name[0] if name else short(recording.expression, 40)
    whole = Step(-1, op, reads=recording.arguments, gives=recording.results)
    collectives = sum(step.collective is not None for step in recording.steps)
    steps = f"{count(len(recording.steps), 'step')}, {count(collectives, 'collective')}"
    told = f"{short(recording.expression, 60)}: {steps}; {recording.agreement}."
    return Entry(whole, "call", (), recording.steps, told, "\n".join(recording.notes))


def _compiled(collective: Collective, mesh: Mesh | None) -> Entry:
    step = Step(-1, collective.op, collective.source, collective=collective, mesh=mesh)
    text = short(METADATA.sub("", collective.text), 200)
    return Entry(step, "compiled", told="In the program as compiled:", after=text)


def _scenes(
    recording: Recording, side: Sequence[Entry | None], differ: Sequence[str], width: float
) -> list[Scene]:
    places = {id(entry): at for at, entry in enumerate(side) if entry}
    return [
        _scene(recording, entry, places, words, width) if entry else _nothing(recording)
        for entry, words in zip(side, differ, strict=True)
    ]


def _scene(
    recording: Recording, entry: Entry, places: Mapping[int, int], differs: str, width: float
) -> Scene:
    step = entry.step
    apart = not any(member.collective for member in entry.members)
    picture = draw.step(step, recording.processes, width, apart)
    line, span = place(recording, step.source)
    return Scene(
        title(entry),
        picture.unlabelled,
        caption(recording, entry, differs),
        picture.text,
        recording.text.rstrip(),
        line,
        span=span,
        first=recording.first,
        part=_part(entry, places, differs),
    )


def _part(entry: Entry, places: Mapping[int, int], differs: str) -> ScenePlace:
    return ScenePlace(
        "collective" if entry.kind == "compiled" else entry.kind,
        entry.step.quiet,
        tuple(places[id(fold)] for fold in entry.folds),
        bool(differs),
        tuple(value.name for value in entry.step.reads),
        tuple(value.name for value in entry.step.gives),
    )


def _nothing(recording: Recording) -> Scene:
    picture = draw.note(NO_STEP, NARROW)
    source, part = recording.text.rstrip(), ScenePlace("gap", differs=True)
    return Scene("no such step", picture.unlabelled, NO_STEP, NO_STEP, source, part=part)
