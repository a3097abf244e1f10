"""The programs a cell launched, compared by what is in them and not by where they were written.

The recorder's ``run_id`` of one program differs when two processes call it from two lines.
Whether it is one program then, only its text can say; so what a cell compiles is kept until
the next one begins, also when the cell itself has dropped it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jax
import xxhash
from jax.extend import backend

from labkit.facts.hlo import GROUPS

_COMPILED = "/jax/core/compile/backend_compile_duration"
_MODULE_ID = 5  # the field's number in XLA's HloModuleProto
_SIZE = re.compile(r"\bnum_partitions=(\d+)")
_JOINS = re.compile(rf"^\s*(?:ROOT )?%?([\w.-]+) = .*{GROUPS}", re.MULTILINE)

_held: list[Any] = []  # every executable that lived at any time of the cell
_launched: list[int | None] = []  # modules over devices of several processes, in order
_joins: dict[int, dict[str, str]] = {}  # module → collective → the groups it joins
_sizes: dict[int, int] = {}  # module → on how many devices it runs


def begin() -> None:
    """A cell begins: let go of what the one before has dropped."""
    _held.clear()
    _hold()


def end(recorded: dict[str, Any]) -> dict[str, Any]:
    """The cell has ended: what is told of its launches, and of what they join.

    Args:
        recorded: see :func:`labkit.engine.timeline.xplane.read`.

    Returns:
        ``launches``: also those on one device of this process in which others take part;
        ``joins``: module → collective → its ``replica_groups``.
    """
    modules = recorded["modules"]
    every = [*recorded["launches"], *_shared(recorded["alone"], modules)]
    launches = sorted(every, key=lambda launch: launch[3])
    joint = [run_id for _, run_id, _, _, all_, own in launches if all_ > own]
    _launched[:] = [modules.get(run_id) for run_id in joint]
    ran = {modules[launch[1]] for launch in launches if launch[1] in modules}
    return {"launches": launches, "joins": _joined(ran)}


def forget() -> None:
    """Let go of everything: the group is left, and its programs with it."""
    _held.clear()
    _launched.clear()
    _joins.clear()
    _sizes.clear()


def _shared(alone: list[tuple[Any, ...]], modules: dict[int, int]) -> Iterator[tuple[Any, ...]]:
    for number, text in _texts({modules[launch[1]] for launch in alone} - set(_sizes)):
        found = _SIZE.search(text)
        _sizes[number] = int(found[1]) if found else 1
    for launch in alone:
        size = _sizes.get(modules[launch[1]], 1)
        if size > 1:
            yield (*launch, size, 1)


def _texts(numbers: set[int | None]) -> Iterator[tuple[int, str]]:
    """(number, text) of the modules with these numbers."""
    for executable in _held if numbers else ():
        module = executable.hlo_modules()[0]
        number = _module_id(module.as_serialized_hlo_module_proto())
        if number in numbers:
            yield number, module.to_string()


def launched() -> list[str]:
    """A hash for every launch that others take part in; empty where its program is unknown."""
    hashes: dict[int, set[str]] = {}
    for number, text in _texts(set(_launched)):
        hashes.setdefault(number, set()).add(_hash(text))
    return [_only(hashes.get(number, set())) for number in _launched]


def _joined(modules: set[int]) -> dict[int, dict[str, str]]:
    """Module → collective → its ``replica_groups``."""
    for number, text in _texts(modules - set(_joins)):
        _joins[number] = dict(_JOINS.findall(text))
    return {number: _joins[number] for number in modules if number in _joins}


def _only(hashes: set[str]) -> str:
    return next(iter(hashes)) if len(hashes) == 1 else ""


def _hold() -> None:
    _held[:] = backend.get_backend().live_executables()


def _on_event(event: str, seconds: float, **kwargs: Any) -> None:
    if event == _COMPILED:
        _hold()


jax.monitoring.register_event_duration_secs_listener(_on_event)


def _hash(text: str) -> str:
    """Of a compiled program without the tables and marks that say where it came from."""
    body = re.sub(r"(?ms)^FileNames$.*?(?=^(ENTRY )?%)", "", text)
    return xxhash.xxh3_128_hexdigest(re.sub(r", metadata={[^}]*}", "", body).encode())


def _module_id(proto: bytes) -> int:
    """The number by which the recorder calls a module; 0 is left out of the message."""
    return next((value for field, value in _numbers(proto) if field == _MODULE_ID), 0)


def _numbers(proto: bytes) -> Iterator[tuple[int, int]]:
    """(field, value) of the whole numbers at the top of a protocol buffer's message."""
    at = 0
    while at < len(proto):
        key, at = _varint(proto, at)
        value, after = _varint(proto, at) if key & 7 in (0, 2) else (0, at)
        if key & 7 == 0:
            yield key >> 3, value
        at = after + {0: 0, 1: 8, 2: value, 5: 4}[key & 7]


def _varint(proto: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = proto[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
