"""Arrays over two processes' devices, in plain numpy: what each device must hold."""

from dataclasses import dataclass
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

SPECS = [
    (None, None),
    ("p", None),
    (None, "d"),
    ("p", "d"),
    ("d", "p"),
    (("p", "d"), None),
    (("d", "p"), None),
    (None, ("p", "d")),
]
DTYPES = {
    **{name: np.dtype(name) for name in ("bool", "int8", "int32", "uint32", "float16")},
    **{name: np.dtype(name) for name in ("float32", "complex64")},
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "int4": np.dtype(ml_dtypes.int4),
}
SHAPES = [(), (8,), (8, 4), (8, 2, 3), (2, 4, 8, 3), (0, 4), (4, 0)]


@dataclass(frozen=True)
class Case:
    """One array over the mesh ``(p: processes, d: devices)``, perhaps turned around."""

    shape: tuple[int, ...] = (16, 16)
    dtype: str = "int32"
    spec: tuple[Any, ...] = ("p",)
    backwards: bool = False


def _cases() -> dict[str, Case]:
    cases = {f"spec{n}": Case(spec=spec) for n, spec in enumerate(SPECS)}
    cases |= {f"dtype_{dtype}": Case((8,), dtype) for dtype in DTYPES}
    for n, shape in enumerate(SHAPES):
        cases[f"shape{n}"] = Case(shape, spec=("p",) if shape else ())
    cases["backwards0"] = Case(spec=("p", "d"), backwards=True)
    cases["backwards1"] = Case(spec=(("d", "p"),), backwards=True)
    return cases


CASES = _cases()


def whole(case: Case) -> np.ndarray:
    """The whole array: small numbers, so that every dtype can hold them."""
    numbers = np.arange(prod(case.shape)) % (2 if case.dtype == "bool" else 7)
    if case.dtype == "int32":
        numbers = np.arange(prod(case.shape))
    return numbers.reshape(case.shape).astype(DTYPES[case.dtype])


def index_of(case: Case, place: tuple[int, int], sizes: tuple[int, int]) -> tuple:
    """The slice that the device at ``place`` of the mesh holds, worked out by hand."""
    at, size = dict(zip("pd", place, strict=True)), dict(zip("pd", sizes, strict=True))
    index = []
    for n, entry in enumerate(padded(case)):
        part, parts = 0, 1
        for axis in entry or ():
            part, parts = part * size[axis] + at[axis], parts * size[axis]
        step = case.shape[n] // parts
        index.append((part * step, (part + 1) * step))
    return tuple(index)


def padded(case: Case) -> tuple:
    return case.spec + (None,) * (len(case.shape) - len(case.spec))


def place_of(case: Case, device: tuple[int, int], sizes: tuple[int, int]) -> tuple[int, int]:
    """Where in the mesh device ``(process, position)`` stands."""
    if not case.backwards:
        return device
    return sizes[0] - 1 - device[0], sizes[1] - 1 - device[1]


def device_of(label: str) -> tuple[int, int]:
    """``"p1·d0"`` → (1, 0)."""
    process, device = label.split("·")
    return int(process[1:]), int(device[1:])
