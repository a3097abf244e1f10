"""What every process said, merged into facts.

Engines tell plain records; here they become the frozen facts that pictures, lessons and
checks are made of. An array that spans processes was told in parts, one by each process,
and becomes one view; everything a process has for itself stays its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from labkit import facts
from labkit.facts.labels import label_order

Record = Mapping[str, Any]
Fact = facts.Array | facts.Mesh | facts.Thing

_NOT_OF_FACTS = ("kind", "owners", "digest")
_CONTAINERS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def process(record: Record) -> facts.Process:
    """The process that described itself so."""
    devices = tuple(facts.Device(*device) for device in record["devices"])
    return facts.Process(**{**record, "devices": devices})


def variable(name: str, records: Mapping[int, Record | None]) -> facts.Variable:
    """One name in all processes.

    Args:
        name: as the learner wrote it.
        records: process index → what that process told; None where the name is missing.

    Returns:
        One view for each array of a process's own, one for each array that spans processes
        and that they describe alike, one for equal meshes, one for equal other values.
    """
    groups: dict[Hashable, dict[int, Record]] = {}
    for index, record in sorted(records.items()):
        if record is not None:
            groups.setdefault(_sameness(record), {})[index] = record
    views = tuple(_view(group) for group in groups.values())
    return facts.Variable(name, views, tuple(p for p in sorted(records) if records[p] is None))


def values(by_process: Mapping[int, Mapping[str, np.ndarray] | None]) -> dict[str, np.ndarray]:
    """Device label → what it holds, over all processes, in order of device."""
    found = [(label, a) for told in by_process.values() for label, a in (told or {}).items()]
    return dict(sorted(found, key=lambda pair: label_order(pair[0])))


def decode(tagged: tuple[str, Any]) -> Any:
    """The value a process gave as tagged plain data.

    Arrays that span processes come as :class:`facts.Array` with the shards of the process
    that gave them, meshes as :class:`facts.Mesh`, objects as :class:`facts.Thing`.
    """
    tag, inside = tagged
    if tag == "is":
        return inside
    if tag == "fact":
        return _fact(inside)
    if tag == "dict":
        return {decode(key): decode(value) for key, value in inside}
    return _CONTAINERS[tag](decode(value) for value in inside)


def _fact(record: Record) -> Fact:
    """The fact one record tells."""
    if record["kind"] == "array":
        return _array([record])
    if record["kind"] == "mesh":
        return facts.Mesh(**_fields(record))
    return facts.Thing(**_fields(record))


def _sameness(record: Record) -> Hashable:
    """Processes whose records have the same one see the same thing.

    The owners of an array are part of it, so arrays of two processes' own never have it.
    """
    return tuple((key, _frozen(value)) for key, value in record.items() if key != "shards")


def _frozen(value: Any) -> Hashable:
    return tuple(sorted(value.items())) if isinstance(value, Mapping) else value


def _view(group: Mapping[int, Record]) -> facts.View:
    records = list(group.values())
    merged = _array(records) if records[0]["kind"] == "array" else _fact(records[0])
    return facts.View(tuple(group), merged)


def _array(records: list[Record]) -> facts.Array:
    shards = [facts.Shard(**shard) for record in records for shard in record["shards"]]
    told = _fields(records[0])
    told["mesh"] = told["mesh"] and facts.Mesh(**_fields(told["mesh"]))
    told["shards"] = tuple(sorted(shards, key=lambda shard: label_order(shard.device)))
    return facts.Array(**told)


def _fields(record: Record) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in _NOT_OF_FACTS}
