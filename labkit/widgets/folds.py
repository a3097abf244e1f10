"""The steps of a recording as a list with folds: a loop or a call is one entry before its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labkit.draw.step_words import LOOPS
from labkit.facts import Recording, Step, Value, Within

OPEN = ("cond", "switch")
"""What is never folded: in a branch it is the steps that tell who took it."""

Key = tuple[str, str, int]


@dataclass(frozen=True, eq=False)
class Entry:
    """A step, or a whole loop or call.

    Attributes:
        step: what is drawn.
        kind: as in :class:`labkit.facts.Part`.
        folds: the entries it stands in, outermost first.
        members: the steps of a fold.
        told: what its picture cannot say; empty for most.
    """

    step: Step
    kind: str = "step"
    folds: tuple[Entry, ...] = ()
    members: tuple[Step, ...] = ()
    told: str = ""


def entries(recording: Recording) -> list[Entry]:
    """Every step in program order, a fold's entry before its first step."""
    found: list[Entry] = []
    paths = _paths(recording.steps)
    stack: list[tuple[Key, Entry]] = []
    for number, (step, path) in enumerate(zip(recording.steps, paths, strict=True)):
        depth = _shared([key for key, _ in stack], path)
        del stack[depth:]
        for key in path[depth:]:
            folds = tuple(entry for _, entry in stack)
            stack.append((key, _fold(recording, paths, number, key, folds)))
            found.append(stack[-1][1])
        kind = "collective" if step.exchange else "step"
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


def _fold(
    recording: Recording, paths: Sequence[Sequence[Key]], start: int, key: Key, folds: tuple
) -> Entry:
    end = start
    while end < len(paths) and key in paths[end]:
        end += 1
    members = recording.steps[start:end]
    made = {value.name: value for step in members for value in step.gives}
    taken = _outer(members, made)
    later = {value.name for step in recording.steps[end:] for value in step.reads}
    later |= {value.name for value in recording.results}
    gives = [value for name, value in made.items() if name in later]
    name = f"{key[0]} {key[1]}".strip()
    skipped = set.intersection(*(set(step.skipped) for step in members))
    whole = Step(
        members[0].number,
        name,
        members[0].source,
        tuple(taken),
        tuple(gives or members[-1].gives),
        mesh=members[0].mesh,
        skipped=tuple(sorted(skipped)),
    )
    return Entry(whole, "fold", folds, members, _told(key, members))


def _outer(members: Sequence[Step], made: dict[str, Value]) -> Iterator[Value]:
    """The values that steps take from outside, each once."""
    seen = dict.fromkeys(made)
    for value in (value for step in members for value in step.reads):
        if value.name not in seen:
            seen[value.name] = None
            yield value


def _told(key: Key, members: Sequence[Step]) -> str:
    """``"scan body as a whole: 3 turns, 9 steps, 3 of them collectives."``."""
    turns = {w.turn for step in members for w in step.within if _key(w) == key and w.turn >= 0}
    counts = [f"{len(turns)} turns"] * (key[0] in LOOPS) + [f"{len(members)} steps"]
    exchanges = sum(step.exchange is not None for step in members)
    counts += [f"{exchanges} of them collectives"] * bool(exchanges)
    return f"{key[0]} {key[1]}".strip() + f" as a whole: {', '.join(counts)}."
