"""Two recordings laid side by side: which steps belong together, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from labkit.facts import Step, Value
from labkit.text.words import count, device_names
from labkit.widgets.recording_outline import Entry

Pair = tuple[Entry | None, Entry | None]


def aligned(first: Sequence[Entry], second: Sequence[Entry]) -> list[Pair]:
    """Entries of the same operation side by side; None where one side has no such step."""
    keys = [[(entry.kind, entry.step.op) for entry in side] for side in (first, second)]
    # the call as a whole is one entry on both sides, whatever it is called
    keys[0][:1] = keys[1][:1] = [("call", "")]
    pairs: list[Pair] = []
    for _, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        pairs += zip_longest(first[a:b], second[c:d])
    return pairs


def difference(first: Entry | None, second: Entry | None) -> str:
    """What is not the same in two entries, in words; nothing if all is, or it changes no number."""
    if first is None or second is None:
        there = first or second
        return "" if there.step.quiet else "Only one of the two has this step."
    if first.kind == "call":
        return ""
    return next(_differences(first.step, second.step), "")


def _differences(first: Step, second: Step) -> Iterator[str]:
    if first.op != second.op:
        yield f"{first.op} on one side, {second.op} on the other."
    if (
        first.collective
        and second.collective
        and first.collective.groups != second.collective.groups
    ):
        sides = [_groups(step.collective.groups) for step in (first, second)]
        yield f"{sides[0]} on one side, {sides[1]} on the other."
    for a, b in zip(first.gives, second.gives, strict=False):
        devices = [device for device in a.held if _unlike(a, b, device)]
        if devices:
            yield f"Other values of {a.name} on {device_names(devices)}."


def _groups(groups: Sequence[Sequence[str]]) -> str:
    return f"{count(len(groups), 'group')} of {count(max(map(len, groups), default=0), 'device')}"


def _unlike(a: Value, b: Value, device: str) -> bool:
    if device not in b.held:
        return True
    if a.digests.get(device) and b.digests.get(device):
        return (a.dtype, a.digests[device]) != (b.dtype, b.digests[device])
    return a.held[device].tobytes() != b.held[device].tobytes()
