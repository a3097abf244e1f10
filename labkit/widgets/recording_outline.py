"""The steps of a recording as a list with folds: a loop or a call is one entry before its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from labkit.facts import Recording, Step, Within
from labkit.text.recording import LOOPS

OPEN = ("cond", "switch")
"""What is never folded: in a branch it is the steps that tell who took it."""

Key = tuple[str, str, int]


@dataclass(frozen=True, eq=False)
class Entry:
    """A step, or a whole loop or call.

    Attributes:
        step: what is drawn.
        kind: as in :class:`labkit.facts.ScenePlace`.
        folds: the entries it stands in, outermost first.
        members: the steps of a fold, or of the call as a whole.
        told: what its picture cannot say, before and
        after: behind what is said of every step; empty for most.
    """

    step: Step
    kind: str = "step"
    folds: tuple[Entry, ...] = ()
    members: tuple[Step, ...] = ()
    told: str = ""
    after: str = ""


def entries(recording: Recording) -> list[Entry]:
    """Every step in program order, a fold's entry before its first step."""
    found: list[Entry] = []
    paths = _paths(recording.steps)
    shown: set[int] = set()  # places of steps that a fold's entry stands for
    stack: list[tuple[Key, Entry]] = []
    for number, (step, path) in enumerate(zip(recording.steps, paths, strict=True)):
        if number in shown:
            continue
        depth = _shared([key for key, _ in stack], path)
        del stack[depth:]
        for key in path[depth:]:
            folds = tuple(entry for _, entry in stack)
            end = _end(paths, number, key)
            shown |= {end} if _told_whole(recording, end, key) else set()
            stack.append((key, _fold(recording, number, end, key, folds)))
            found.append(stack[-1][1])
        kind = "collective" if step.collective else "step"
        found.append(Entry(step, kind, tuple(entry for _, entry in stack)))
    return found


def _paths(steps: Sequence[Step]) -> list[tuple[Key, ...]]:
    """The folds of each step, without those that would hide one step only, or all of them."""
    plain = [tuple(map(_key, step.within)) for step in steps]
    count: dict[Key, int] = {}
    for step, keys in zip(steps, plain, strict=True):
        for key in keys:
            count[key] = count.get(key, 0) + (not step.quiet)
    loud = sum(not step.quiet for step in steps)
    useful = {key for key, number in count.items() if 1 < number < loud and key[0] not in OPEN}
    return [tuple(key for key in keys if key in useful) for keys in plain]


def _key(within: Within) -> Key:
    return within.what, within.name, within.start


def _shared(before: Sequence[Key], path: Sequence[Key]) -> int:
    """How many folds two steps have in common, from the outermost on."""
    pairs = zip(before, path, strict=False)
    return next(
        (depth for depth, (a, b) in enumerate(pairs) if a != b), min(len(before), len(path))
    )


def _end(paths: Sequence[Sequence[Key]], start: int, key: Key) -> int:
    """The place behind the last step of a fold."""
    return next((at for at in range(start, len(paths)) if key not in paths[at]), len(paths))


def _told_whole(recording: Recording, end: int, key: Key) -> bool:
    """Whether the step behind a fold is the loop as a whole, with what goes in and comes out."""
    return end < len(recording.steps) and recording.steps[end].op == key[0]


def _fold(recording: Recording, start: int, end: int, key: Key, folds: tuple[Entry, ...]) -> Entry:
    members = recording.steps[start:end]
    whole = (
        recording.steps[end] if _told_whole(recording, end, key) else _whole(recording, start, end)
    )
    named = replace(whole, op=f"{key[0]} {key[1]}".strip())
    return Entry(named, "fold", folds, members, _told(key, members))


def _whole(recording: Recording, start: int, end: int) -> Step:
    """Steps as one: what they take from outside, and what others take of what they make."""
    members = recording.steps[start:end]
    made = {value.name: value for step in members for value in step.gives}
    taken = {value.name: value for step in members for value in step.reads}
    later = {value.name for step in recording.steps[end:] for value in step.reads}
    later |= {value.name for value in recording.results}
    gives = [value for name, value in made.items() if name in later] or members[-1].gives
    reads = [value for name, value in taken.items() if name not in made]
    skipped = set.intersection(*(set(step.skipped) for step in members))
    about = {"mesh": members[0].mesh, "skipped": tuple(sorted(skipped))}
    return Step(members[0].number, "", members[0].source, tuple(reads), tuple(gives), **about)


def _told(key: Key, members: Sequence[Step]) -> str:
    """``"scan body as a whole: 3 turns, 9 steps, 3 of them collectives."``."""
    turns = {w.turn for step in members for w in step.within if _key(w) == key and w.turn >= 0}
    counts = [f"{len(turns)} turns"] * (key[0] in LOOPS) + [f"{len(members)} steps"]
    collectives = sum(step.collective is not None for step in members)
    counts += [f"{collectives} of them collectives"] * bool(collectives)
    return f"{key[0]} {key[1]}".strip() + f" as a whole: {', '.join(counts)}."
