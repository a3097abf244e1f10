"""Where copies that differ go in a recorded program: followed from step to step, device by device.

A device's value descends from what the device itself has read, and in a collective from what all
members of its group have. What a loop or a ``shard_map`` hands in and out is known by its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from labkit import facts
from labkit.facts.labels import largest_first
from labkit.text.divergence import origin_words, trace_words
from labkit.text.letters import prime

Taint = dict[str, frozenset[str]]
"""Device label → the copies that what it holds descends from."""

_AROUND = {"shard_map", "pmap", "scan", "while", "cond"}
"""Operations whose own steps were recorded before them."""


def descent(recording: facts.Recording) -> facts.Descent:
    """Every value that descends from copies that differ.

    Between ``shard_map``s the compiler moves data: its collectives are taken into account where
    the compiled program says who takes part, or where the copies are equal after them.

    Args:
        recording: with digests.
    """
    return _followed(recording)[1]


def marked(recording: facts.Recording) -> facts.Recording:
    """The recording, with marks on what descends from copies that differ, and notes on its steps.

    Args:
        recording: with digests; it is given back as it is where all copies agree.
    """
    walk, found = _followed(recording)
    if not found.origins:
        return recording
    notes: dict[int, list[str]] = {}
    for origin in found.origins:
        notes.setdefault(origin.step, []).append(origin_words(origin))
    for trace in found.traces:
        notes.setdefault(trace.step.number, []).append(trace_words(trace))
    steps = tuple(walk.marked(step, notes.get(step.number, [])) for step in recording.steps)
    ends = {"arguments": recording.arguments, "results": recording.results}
    return replace(recording, steps=steps, **{n: walk.values(v) for n, v in ends.items()})


def _followed(recording: facts.Recording) -> tuple[_Propagation, facts.Descent]:
    walk = _Propagation(recording)
    for value in recording.arguments:
        walk.born(value, -1)
    traces = tuple(trace for step in recording.steps for trace in walk.step(step))
    results = tuple(v.name for v in recording.results if any(walk.taint(v).values()))
    about = (recording.expression, tuple(walk.origins), traces, results, recording.why)
    return walk, facts.Descent(*about)


@dataclass
class _Propagation:
    """What is known after the steps so far."""

    recording: facts.Recording
    origins: list[facts.Origin] = field(default_factory=list)
    known: dict[int, Taint] = field(default_factory=dict)
    alike: dict[frozenset, list[tuple[str, Taint]]] = field(default_factory=dict)
    inner: list[tuple[facts.Step, Taint]] = field(default_factory=list)
    marks: dict[int, facts.Value] = field(default_factory=dict)

    def born(self, value: facts.Value, number: int) -> Taint:
        """Note a value; where its copies differ, that is where it comes from."""
        versions = {} if value.own else dict(_versions(value))
        if versions:
            told = {device: (name,) for device, name in versions.items()}
            self.origins.append(facts.Origin(value, number, told))
        return self._note(value, {d: frozenset([name]) for d, name in versions.items()})

    def taint(self, value: facts.Value) -> Taint:
        """What a value descends from; one that no step gave is known by its bytes."""
        if id(value) not in self.known:
            self._note(value, self._alike(value) or {})
        return self.known[id(value)]

    def step(self, step: facts.Step) -> Iterator[facts.Trace]:
        """Follow one step; the traces of what it gives."""
        read = _union(self.taint(value) for value in step.reads)
        for value in step.gives:
            made = self._made(step, value, read)
            if any(made.values()):
                yield _trace(step, value, self._note(value, made), read)
            else:
                self.born(value, step.number)
            self.inner.append((step, self.known[id(value)]))

    def marked(self, step: facts.Step, notes: Iterable[str]) -> facts.Step:
        """The step with marked values and a longer note."""
        note = "\n".join(filter(None, [step.note, *notes]))
        return replace(
            step, reads=self.values(step.reads), gives=self.values(step.gives), note=note
        )

    def values(self, values: Iterable[facts.Value]) -> tuple[facts.Value, ...]:
        """The values with their marks; the same ones stay the same."""
        return tuple(self.marks.setdefault(id(v), self._marked(v)) for v in values)

    def _marked(self, value: facts.Value) -> facts.Value:
        told = _told(value, self.taint(value))
        return replace(value, descends=told) if told else value

    def _made(self, step: facts.Step, value: facts.Value, read: Taint) -> Taint:
        if step.op in _AROUND:
            found = self._alike(value)
            return _union([read, *self._inside(step)]) if found is None else found
        ran = [device for device in value.held if device not in step.skipped]
        heard = _hears(step, value, self.recording.compiled)
        return {d: _from(read, heard.get(d, frozenset([d]))) for d in ran}

    def _inside(self, step: facts.Step) -> Iterator[Taint]:
        """What was made within a loop, a branch or a ``shard_map``, which have just ended."""
        for member, taint in reversed(self.inner):
            deeper = len(member.within) > len(step.within)
            if not deeper and not (member.mesh and not step.mesh):
                break
            yield taint

    def _alike(self, value: facts.Value) -> Taint | None:
        """What a value of the same bytes on every device descends from; of the same name first."""
        found = self.alike.get(frozenset(value.digests.items()), []) if value.digests else []
        named = [taint for name, taint in found if name == value.name]
        return (named or [taint for _, taint in found] or [None])[-1]

    def _note(self, value: facts.Value, taint: Taint) -> Taint:
        self.known[id(value)] = taint
        if value.digests and all(value.digests.values()):
            about = (value.name, taint)
            self.alike.setdefault(frozenset(value.digests.items()), []).append(about)
        return taint


def _versions(value: facts.Value) -> Iterator[tuple[str, str]]:
    """(device, the name of the copy it has) of the slices whose copies differ."""
    slices: dict[facts.Slice, dict[str, list[str]]] = {}
    for device, index in value.index.items():
        if digest := value.digests.get(device):
            slices.setdefault(index, {}).setdefault(digest, []).append(device)
    for groups in slices.values():
        ordered = largest_first(groups.values())
        for number, group in enumerate(ordered if len(ordered) > 1 else ()):
            yield from ((device, value.name + prime(number)) for device in group)


def _union(taints: Iterable[Taint]) -> Taint:
    found: Taint = {}
    for taint in taints:
        for device, versions in taint.items():
            found[device] = found.get(device, frozenset()) | versions
    return found


def _from(read: Taint, devices: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*(read.get(device, ()) for device in devices))


def _hears(
    step: facts.Step, value: facts.Value, compiled: Iterable[facts.Collective]
) -> dict[str, frozenset[str]]:
    """Device label → the devices of whose operands its result is made, itself among them or not."""
    if step.collective:
        return _parties(step.collective, {})
    if step.mesh is not None:
        return {}
    alone = {device: frozenset([device]) for device in value.held}
    for collective in compiled:  # the compiler's, of the same operation
        if collective.source == step.source and collective.source.line:
            known = (
                collective if collective.groups or collective.sends else _guess(collective, value)
            )
            alone |= _parties(known, alone)
    return alone


def _parties(
    collective: facts.Collective, alone: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """Who hears whom. In a permutation, who is sent nothing has zeros and hears nobody."""
    if not collective.sends:
        return {device: frozenset(group) for group in collective.groups for device in group}
    everyone = {device for group in collective.groups for device in group} | set(alone)
    heard = {d: alone.get(d, frozenset()) for d in everyone | {to for _, to in collective.sends}}
    for sender, receiver in collective.sends:
        heard[receiver] |= {sender}
    return heard


def _guess(collective: facts.Collective, value: facts.Value) -> facts.Collective:
    """Where the program does not say who takes part: devices whose copies are equal after it."""
    return replace(collective, groups=tuple(tuple(group) for group in _equal(value)))


def _equal(value: facts.Value) -> list[list[str]]:
    """Devices whose copies of a slice are equal: where groups are not known, all one can tell."""
    found: dict[object, list[str]] = {}
    for device, digest in value.digests.items():
        found.setdefault((value.index.get(device), digest), []).append(device)
    return list(found.values())


def _told(value: facts.Value, taint: Taint) -> dict[str, tuple[str, ...]]:
    return {device: tuple(sorted(taint[device])) for device in value.held if taint.get(device)}


def _trace(step: facts.Step, value: facts.Value, taint: Taint, read: Taint) -> facts.Trace:
    mixed = any(len(of) > len(read.get(d, ())) for d, of in taint.items())
    several = len(set().union(*taint.values())) > 1
    return facts.Trace(step, value, _told(value, taint), mixed, several and _agrees(value))


def _agrees(value: facts.Value) -> bool:
    """Whether nothing about its copies would be noticed."""
    if not value.index:
        return not value.varies and len(set(value.digests.values())) == 1
    return bool(value.digests) and not dict(_versions(value))
