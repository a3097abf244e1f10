"""What every process told of a recorded program, put together: steps and values as facts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labkit import facts
from labkit.analysis import value_names
from labkit.errors import LabError
from labkit.facts.labels import label_order

Records = Mapping[int, Mapping[str, Any]]
Key = tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """A recorded program, over all processes.

    Attributes:
        steps: in program order.
        arguments: what it was given.
        results: what it gave.
    """

    steps: tuple[facts.Step, ...]
    arguments: tuple[facts.Value, ...]
    results: tuple[facts.Value, ...]


def program(records: Records) -> Program:
    """Put together what the processes told.

    Args:
        records: process index → what it told (see ``labkit.engine.recording.record.record``).

    Raises:
        LabError: they ran different programs.
    """
    merge = _Merge(records)
    steps = tuple(merge.step(number, key) for number, key in enumerate(merge.keys))
    some = next(iter(records.values()))
    ends = (tuple(map(merge.value, some[word])) for word in ("arguments", "results"))
    return Program(steps, *ends)


@dataclass
class _Merge:
    """One walk through the records of all processes."""

    records: Records
    keys: list[Key] = field(default_factory=list)
    by_key: dict[Key, dict[int, Mapping[str, Any]]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    starts: dict[Key, int] = field(default_factory=dict)
    values: dict[Key, facts.Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for process, record in sorted(self.records.items()):
            for step in record["steps"]:
                self.by_key.setdefault(step["key"], {})[process] = step
        self.keys = sorted(self.by_key)
        for key in self.keys:
            _require_one(self.by_key[key])
        for number, key in enumerate(self.keys):
            for depth in range(1, len(key), 2):
                self.starts.setdefault(key[:depth], number)
        some = [next(iter(self.by_key[key].values())) for key in self.keys]
        first = next(iter(self.records.values()))
        self.names = value_names.names(some, first["names"], first["made_from"], first["results"])

    def step(self, number: int, key: Key) -> facts.Step:
        told = self.by_key[key]
        some = next(iter(told.values()))
        meshes = tuple(dict.fromkeys(filter(None, map(self._mesh, told.items()))))
        return facts.Step(
            number,
            some["op"],
            source(some["source"]),
            tuple(map(self.value, some["reads"])),
            tuple(map(self.value, some["gives"])),
            self._collective([step["collective"] for step in told.values()]),
            tuple(self._within(key, *one) for one in some["within"]),
            meshes[0] if meshes else None,
            some["quiet"],
            _in_order(self._skipped(key, meshes)),
            some["note"],
        )

    def _skipped(self, key: Key, meshes: Sequence[facts.Mesh]) -> Iterator[str]:
        """Where it did not run; a process in which no device ran it has not told of it."""
        told = self.by_key[key]
        for step in told.values():
            yield from step["skipped"]
        for process in set(self.records) - set(told):
            mine = f"p{process}·"
            yield from (d for mesh in meshes for d in mesh.devices if d.startswith(mine))

    def _mesh(self, told: tuple[int, Mapping[str, Any]]) -> facts.Mesh | None:
        process, step = told
        return None if step["mesh"] is None else mesh(self.records[process], step["mesh"])

    def _within(self, key: Key, what: str, name: str, depth: int) -> facts.Within:
        return facts.Within(what, name, key[depth], self.starts[key[:depth]])

    def _collective(self, told: Sequence[Mapping[str, Any] | None]) -> facts.Collective | None:
        if told[0] is None:
            return None
        groups = dict.fromkeys(group for one in told for group in one["groups"])
        sends = dict.fromkeys(pair for one in told for pair in one["sends"])
        about = {**told[0], "source": source(told[0]["source"])}
        return facts.Collective(**{**about, "groups": tuple(groups), "sends": tuple(sends)})

    def value(self, key: Key) -> facts.Value:
        """The value that the processes know by this key, made once."""
        if key not in self.values:
            self.values[key] = self._value(key)
        return self.values[key]

    def _value(self, key: Key) -> facts.Value:
        told = {p: r["values"][key] for p, r in self.records.items() if key in r["values"]}
        parts = {w: _joined(one[w] for one in told.values()) for w in ("held", "index", "digests")}
        some = next(iter(told.values()))
        meshes = {
            mesh(self.records[p], one["mesh"]) for p, one in told.items() if one["mesh"] is not None
        }
        equal, varies = along(parts["digests"], meshes)
        return facts.Value(
            self.names[key[0]],
            some["shape"],
            some["dtype"],
            parts["held"],
            all(one["complete"] for one in told.values()),
            parts["index"],
            equal,
            varies,
            some["spec"],
            parts["digests"],
            len(told) > 1 and all(mesh.local for mesh in meshes),
        )


def source(told: tuple[str, int, str, tuple[int, int]]) -> facts.Source:
    """A learner's line; of a file's path only the name."""
    file, line, text, span = told
    return facts.Source(os.path.basename(file) if os.path.isabs(file) else file, line, text, span)


def mesh(record: Mapping[str, Any], number: int) -> facts.Mesh:
    """One of the meshes a process told of."""
    told = record["meshes"][number]
    return facts.Mesh(**{name: part for name, part in told.items() if name != "kind"})


def along(
    digests: Mapping[str, str], meshes: set[facts.Mesh]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The mesh axes along which all devices hold the same bytes, and those along which some differ.

    Args:
        digests: device label → hash of what it holds; empty where it is not known.
        meshes: one, or one for each process.
    """
    names = list(dict.fromkeys(name for one in meshes for name in one.axis_names))
    found = {name: [_axis(digests, one, name) for one in meshes] for name in names}
    equal = (name for name, said in found.items() if set(said) == {"equal"})
    return tuple(equal), tuple(name for name, said in found.items() if "varies" in said)


def _axis(digests: Mapping[str, str], mesh: facts.Mesh, name: str) -> str:
    if name not in mesh.axis_names:
        return "equal"
    held = np.array([digests.get(d, "") for d in mesh.devices], object).reshape(mesh.shape)
    size = mesh.shape[mesh.axis_names.index(name)]
    rows = np.moveaxis(held, mesh.axis_names.index(name), -1).reshape(-1, size)
    if any(len({one for one in row if one}) > 1 for row in rows):
        return "varies"
    return "equal" if all(held.flat) else ""


def _joined(parts: Any) -> dict[str, Any]:
    found = {device: part for one in parts for device, part in one.items()}
    return {device: found[device] for device in _in_order(found)}


def _in_order(devices: Any) -> tuple[str, ...]:
    return tuple(sorted(set(devices), key=label_order))


def _require_one(told: Mapping[int, Mapping[str, Any]]) -> None:
    ops = {process: step["op"] for process, step in told.items()}
    if len(set(ops.values())) > 1:
        said = ", ".join(f"{op} in process {process}" for process, op in ops.items())
        raise LabError(
            f"The processes ran different programs: one step is {said}. A recording follows one "
            "program; record the same call in all processes."
        )
