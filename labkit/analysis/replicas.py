"""What every process told of a tree, merged: which copies agree, and how the others differ.

Pure: records in, facts out. Whoever calls brings a way to ask the processes: a lab has its own
line to them, a training script a collective.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from labkit import facts
from labkit.facts.labels import largest_first
from labkit.text.replicas import entry_type
from labkit.text.words import process_names, spec_text

Record = Mapping[str, Any]


def leaves(told: Mapping[int, Iterable[Record]], own: bool = True) -> tuple[facts.Leaf, ...]:
    """Every leaf, with the groups of devices that agree; without numbers yet.

    Args:
        told: process index → its records, see :meth:`labkit.engine.replicas.digest.Tree.records`.
        own: whether arrays that each process has for itself are compared with those of the
            other processes too.
    """
    by_path: dict[str, dict[int, Record]] = {}
    for process, records in sorted(told.items()):
        for record in records:
            by_path.setdefault(record["path"], {})[process] = record
    return tuple(_leaf(path, found, set(told), own) for path, found in by_path.items())


def nbytes(told: Mapping[int, Iterable[Record]]) -> int:
    """Bytes that were hashed in all processes together."""
    return sum(_hashed(record) for records in told.values() for record in records)


def _hashed(record: Record) -> int:
    size = _size(tuple((0, n) for n in record["shape"]))
    return sum(record["nbytes"] * _size(index) // max(size, 1) for _, index, _ in record["shards"])


def _size(index: facts.Slice) -> int:
    size = 1
    for start, stop in index:
        size *= stop - start
    return size


def _leaf(path: str, found: Mapping[int, Record], processes: set[int], own: bool) -> facts.Leaf:
    slices = _slices(found.values(), own)
    most = Counter(_type(record) for record in found.values()).most_common(1)[0][0]
    alike = next(record for record in found.values() if _type(record) == most)
    return facts.Leaf(
        path,
        tuple(alike["shape"]),
        alike["dtype"],
        alike["spec"],
        alike["nbytes"],
        tuple(facts.Copies(index, g) for index, g in slices if len(g) > 1),
        _problem(found, processes),
        sum(sum(map(len, g)) for _, g in slices if sum(map(len, g)) > 1),
        len(found) > 1 and all(len(record["owners"]) == 1 for record in found.values()),
    )


def _slices(
    records: Iterable[Record], own: bool
) -> list[tuple[facts.Slice, tuple[tuple[str, ...], ...]]]:
    """Each slice, with its groups of devices that agree."""
    held: dict[Hashable, dict[bytes, list[str]]] = {}
    for record in records:
        like = (_type(record), None if own else record["owners"])
        for label, index, digest in record["shards"]:
            held.setdefault((index, like), {}).setdefault(digest, []).append(label)
    return [(index, largest_first(groups.values())) for (index, _), groups in held.items()]


def _type(record: Record) -> Hashable:
    return record["kind"], tuple(record["shape"]), record["dtype"]


def _problem(found: Mapping[int, Record], processes: set[int]) -> str:
    """What differs besides bytes, in words; empty for nothing."""
    missing = processes - set(found)
    words = [f"missing in {process_names(missing)}"] if missing else []
    words += _troubles(found)
    for what, field in (("type", _type_text), ("spec", _spec_text), ("value", _value_text)):
        words += _apart(what, {process: field(record) for process, record in found.items()})
    return "; ".join(words)


def _troubles(found: Mapping[int, Record]) -> list[str]:
    by_trouble: dict[str, list[int]] = {}
    for process, record in found.items():
        if record["trouble"]:
            by_trouble.setdefault(record["trouble"], []).append(process)
    return [f"{trouble} in {process_names(of)}" for trouble, of in by_trouble.items()]


def _apart(what: str, by_process: Mapping[int, str]) -> list[str]:
    """``"other type: float32[4] in process 0, float32[5] in process 1"``, or nothing."""
    holders: dict[str, list[int]] = {}
    for process, text in by_process.items():
        holders.setdefault(text, []).append(process)
    said = [f"{text or 'none'} in {process_names(of)}" for text, of in holders.items()]
    return [f"other {what}: {', '.join(said)}"] if len(holders) > 1 else []


def _type_text(record: Record) -> str:
    where = {"array": "", "host": " (numpy)" if record["shape"] else " (host)", "thing": ""}
    return entry_type(record["dtype"], record["shape"]) + where[record["kind"]]


def _spec_text(record: Record) -> str:
    return spec_text(record["spec"])


def _value_text(record: Record) -> str:
    return record["text"]
