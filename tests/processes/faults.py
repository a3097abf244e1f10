"""A tree with one fault of each kind and some good leaves, in plain numpy: what each device holds.

The processes build it with ``faulty.py``; what a check must find is told here, without labkit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

PROCESSES, DEVICES = 2, 4
LABELS = [f"p{p}·d{d}" for p in range(PROCESSES) for d in range(DEVICES)]
NAN, OTHER_NAN = np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32)


@dataclass(frozen=True)
class Held:
    """One leaf.

    Attributes:
        base: the whole of it, as most devices have it.
        odd: device label → {index in the whole: what it has there instead}.
        cut: whether dimension 0 is cut over a process's devices; else all hold the whole.
        own: whether each process has an array of its own, over its own devices.
    """

    base: np.ndarray
    odd: dict[str, dict[Any, Any]] = field(default_factory=dict)
    cut: bool = False
    own: bool = False

    def copy(self, label: str) -> np.ndarray:
        """The whole as the device believes it to be."""
        value = self.base.copy()
        for index, element in self.odd.get(label, {}).items():
            value[index] = element
        return value

    def rows(self, label: str) -> slice:
        """Which rows of the whole the device holds."""
        size = len(self.base) // DEVICES if self.cut else None
        at = int(label.partition("·d")[2])
        return slice(at * size, (at + 1) * size) if self.cut else slice(None)


def _floats(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8


def _every(process: int, odd: dict[Any, Any]) -> dict[str, dict[Any, Any]]:
    return {label: odd for label in LABELS if label.startswith(f"p{process}")}


FAULTS = {
    "poked": Held(_floats(300, 400), {"p1·d2": {(255, 17): 9.5}}),
    "bfloat16": Held(_floats(8, 4).astype(ml_dtypes.bfloat16), {"p0·d3": {(7, 3): 1}}),
    "bool": Held(np.zeros((4, 4), bool), _every(1, {(2, 2): True})),
    "keys": Held(np.arange(16, dtype=np.uint32).reshape(8, 2), {"p1·d0": {(5, 1): 99}}),
    "nan_one_sided": Held(_floats(6), _every(1, {(4,): NAN, (5,): 0.0})),
    "nan_payload": Held(np.full(6, NAN), {"p0·d1": {(2,): OTHER_NAN}}),
    "zeros": Held(np.zeros((2, 3), np.float32), _every(1, {(1, 1): -0.0})),
    "infinite": Held(_floats(5), {"p1·d1": {(3,): np.inf}}),
    "slice": Held(_floats(8, 6), {"p1·d3": {(7, 1): 4.0, (6, 5): 3.0}}, cut=True),
    "whole": Held(_floats(64, 3), _every(1, {...: 5.0})),
    "three": Held(_floats(4, 4), {"p0·d1": {(1, 0): 7.0}, "p1·d1": {(0, 2): 8.0, (1, 0): 8.0}}),
    "extremes": Held(np.full(3, -(2**31), np.int32), {"p1·d3": {(1,): 2**31 - 1}}),
    "scalar": Held(np.array(2.5, np.float32), _every(1, {(): 2.0})),
    "own": Held(_floats(4, 2), _every(1, {(3, 1): 1.0}), own=True),
    "empty": Held(np.zeros((0, 3), np.float32)),
    "equal_nans": Held(np.full((3, 3), OTHER_NAN)),
    "good_slices": Held(_floats(8, 2), cut=True),
    "good_keys": Held(np.arange(4, dtype=np.uint32).reshape(2, 2)),
    "good_own": Held(_floats(3), own=True),
}
"""Leaves on devices."""

KEYS = {"keys", "good_keys"}
PROBLEMS = {
    "deleted": "deleted in process 1",
    "dtype": "other type: float32[4] in process 0, int32[4] in process 1",
    "shape": "other type: float32[4] in process 0, float32[5] in process 1",
    "spec": "other spec: P('d') in process 0, P('p') in process 1",
    "only_first": "missing in process 1",
    "number": "other value: 0.5 in process 0, 0.25 in process 1",
    "text": "other value: 'a' in process 0, 'b' in process 1",
    "unread": "RuntimeError: no such luck in process 1",
    "numpy": "",
}
"""Leaves of which something else than bytes on devices differs, and in what words."""
GOOD_ON_HOST = {"good_number", "good_text", "good_numpy"}


def groups(held: Held) -> dict[tuple[int, int] | None, list[list[str]]]:
    """First and last row → the devices that agree, of slices whose copies do not all."""
    found: dict[Any, dict[bytes, list[str]]] = {}
    for label in LABELS:
        rows = held.rows(label)
        by_bytes = found.setdefault((rows.start, rows.stop), {})
        by_bytes.setdefault(held.copy(label)[rows if held.cut else ...].tobytes(), []).append(label)
    ordered = {r: sorted(g.values(), key=lambda x: (-len(x), x[0])) for r, g in found.items()}
    return {rows: group for rows, group in ordered.items() if len(group) > 1}


def unlike(held: Held, name: str) -> list[tuple[int, ...]]:
    """Indices of the elements whose bytes differ between any two devices, in order."""
    copies = [_bytes(held.copy(label), name in KEYS) for label in LABELS]
    differ = np.any([(copy != copies[0]).any(axis=-1) for copy in copies], axis=0)
    return [tuple(map(int, index)) for index in np.argwhere(differ)]


def _bytes(value: np.ndarray, key: bool) -> np.ndarray:
    """The bytes of each element along a last axis; those of a key's words are one element's."""
    shape = value.shape[:-1] if key else value.shape
    return np.frombuffer(value.tobytes(), np.uint8).reshape(*shape, -1)
