"""What every process told of a recorded program, put together: steps and values as facts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from labkit import facts
from labkit.analysis import value_names
from labkit.errors import LabError
from labkit.facts.labels import label_order, process_of

Records = Mapping[int, Mapping[str, Any]]
Key = tuple[int, ...]
Told = Mapping[int, Mapping[str, Any]]
"""Process index → what it told of one step."""


class Merged:
    """One recorded program out of what the processes told of it, value by value, step by step.

    Attributes:
        steps: in program order.
        arguments: what it was given.
        results: what it gave.
    """

    def __init__(self, records: Records) -> None:
        """Put them together.

        Args:
            records: process index → what it told (see ``labkit.engine.recording.record.record``).

        Raises:
            LabError: they ran different programs.
        """
        some = next(iter(records.values()))
        self._records = records
        self._told = _by_key(records)
        self._starts = _starts(self._told)
        self._names = _names(self._told, some)
        self._values: dict[Key, facts.Value] = {}
        self.steps = tuple(self._step(number, key) for number, key in enumerate(self._told))
        self.arguments = tuple(map(self._value, some["arguments"]))
        self.results = tuple(map(self._value, some["results"]))

    def _step(self, number: int, key: Key) -> facts.Step:
        told = self._told[key]
        some = next(iter(told.values()))
        meshes = tuple(dict.fromkeys(filter(None, map(self._mesh, told.items()))))
        return facts.Step(
            number=number,
            op=some["op"],
            source=source(some["source"]),
            reads=tuple(map(self._value, some["reads"])),
            gives=tuple(map(self._value, some["gives"])),
            collective=self._collective([step["collective"] for step in told.values()]),
            within=tuple(self._within(key, *one) for one in some["within"]),
            mesh=meshes[0] if meshes else None,
            quiet=some["quiet"],
            skipped=_in_order(self._skipped(key, meshes)),
            note=some["note"],
        )

    def _skipped(self, key: Key, meshes: Sequence[facts.Mesh]) -> Iterator[str]:
        """Where it did not run; a process in which no device ran it has not told of it."""
        told = self._told[key]
        for step in told.values():
            yield from step["skipped"]
        for process in set(self._records) - set(told):
            yield from (d for mesh in meshes for d in mesh.devices if process_of(d) == process)

    def _mesh(self, told: tuple[int, Mapping[str, Any]]) -> facts.Mesh | None:
        process, step = told
        return None if step["mesh"] is None else mesh(self._records[process], step["mesh"])

    def _within(self, key: Key, what: str, name: str, depth: int) -> facts.Within:
        return facts.Within(what, name, key[depth], self._starts[key[:depth]])

    def _collective(self, told: Sequence[Mapping[str, Any] | None]) -> facts.Collective | None:
        if told[0] is None:
            return None
        groups = dict.fromkeys(group for one in told for group in one["groups"])
        sends = dict.fromkeys(pair for one in told for pair in one["sends"])
        about = {**told[0], "source": source(told[0]["source"])}
        return facts.Collective(**{**about, "groups": tuple(groups), "sends": tuple(sends)})

    def _value(self, key: Key) -> facts.Value:
        """The value that the processes know by this key: one object, wherever it is read."""
        if key not in self._values:
            self._values[key] = self._put_together(key)
        return self._values[key]

    def _put_together(self, key: Key) -> facts.Value:
        told = {p: r["values"][key] for p, r in self._records.items() if key in r["values"]}
        some = next(iter(told.values()))
        held, index, digests = (
            _joined(one[part] for one in told.values()) for part in ("held", "index", "digests")
        )
        known = ((self._records[p], one["mesh"]) for p, one in told.items())
        meshes = {mesh(record, number) for record, number in known if number is not None}
        equal, varies = along(digests, meshes)
        return facts.Value(
            name=self._names[key[0]],
            shape=some["shape"],
            dtype=some["dtype"],
            held=held,
            complete=all(one["complete"] for one in told.values()),
            index=index,
            equal=equal,
            varies=varies,
            spec=some["spec"],
            digests=digests,
            own=len(told) > 1 and all(mesh.local for mesh in meshes),
        )


def _by_key(records: Records) -> dict[Key, Told]:
    """Every step by its key, in program order."""
    found: dict[Key, dict[int, Mapping[str, Any]]] = {}
    for process, record in sorted(records.items()):
        for step in record["steps"]:
            found.setdefault(step["key"], {})[process] = step
    ordered = {key: found[key] for key in sorted(found)}
    for told in ordered.values():
        _require_one(told)
    return ordered


def _starts(keys: Iterable[Key]) -> dict[Key, int]:
    """Of each loop, branch and call, by its place in the keys: the number of its first step."""
    found: dict[Key, int] = {}
    for number, key in enumerate(keys):
        for depth in range(1, len(key), 2):
            found.setdefault(key[:depth], number)
    return found


def _names(steps: Mapping[Key, Told], some: Mapping[str, Any]) -> dict[int, str]:
    """What the values are called: any process can say, their ids are the same in all."""
    first = [next(iter(told.values())) for told in steps.values()]
    return value_names.names(first, some["names"], some["made_from"], some["results"])


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


def _require_one(told: Told) -> None:
    ops = {process: step["op"] for process, step in told.items()}
    if len(set(ops.values())) > 1:
        said = ", ".join(f"{op} in process {process}" for process, op in ops.items())
        raise LabError(
            f"The processes ran different programs: one step is {said}. A recording follows one "
            "program; record the same call in all processes."
        )
