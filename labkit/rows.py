"""Small data sets on disk, and a reader that counts which rows were really read.

The file is a plain ``.npy`` table. The processes read it with :class:`Rows`, which opens the
file anew for each row it is asked for and counts the bytes that came.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

KINDS = ("numbers", "digits")
COLUMNS = 2


class Rows:
    """The rows of a file, and which of them were read through this object.

    Args:
        path: of a ``.npy`` table.
        count: only the first so many rows; None for all.

    Attributes:
        columns: numbers in a row.
        dtype: their type.
    """

    def __init__(self, path: str | Path, count: int | None = None) -> None:
        table = np.load(path, mmap_mode="r")[:count]  # reads the header only
        self._path, self._start, self._count = path, table.offset, len(table)
        self.columns, self.dtype = table.shape[1], table.dtype
        self._taken: list[tuple[int, int]] = []  # (row, bytes); input libraries read in threads

    @property
    def read(self) -> np.ndarray:
        """Row numbers in the order in which they were read; one read twice is there twice."""
        return np.array([row for row, _ in self._taken], "int32")

    @property
    def nbytes(self) -> int:
        """How many bytes of rows came from the file."""
        return sum(size for _, size in self._taken)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, wanted: int | slice | np.ndarray) -> np.ndarray:
        """The row or the rows asked for, read from the file now."""
        numbers = np.arange(len(self))[wanted]
        with open(self._path, "rb") as file:
            content = b"".join(self._row(file.fileno(), int(row)) for row in np.atleast_1d(numbers))
        return np.frombuffer(content, self.dtype).reshape(*numbers.shape, self.columns)

    def _row(self, file: int, number: int) -> bytes:
        size = self.columns * self.dtype.itemsize
        content = os.pread(file, size, self._start + number * size)
        self._taken.append((number, len(content)))
        return content


def write(folder: str | Path, kind: str, count: int) -> Path:
    """Writes a data set and gives its path.

    Args:
        folder: where to.
        kind: ``"numbers"`` (row r, column c holds 100 * r + c) or ``"digits"`` (scikit-learn's
            handwritten digits, 8 × 8 pixels of 0 to 16 in a row of 64).
        count: how many rows.

    Raises:
        ValueError: another kind.
    """
    if kind not in KINDS:
        raise ValueError(f"Given the data set {kind!r}; expected one of {', '.join(KINDS)}.")
    path = Path(folder) / f"{kind}-{count}.npy"
    np.save(path, numbers(count) if kind == "numbers" else _digits(count))
    return path


def numbers(count: int) -> np.ndarray:
    """Rows that say where they come from: 100 * row + column, int32."""
    return (100 * np.arange(count)[:, None] + np.arange(COLUMNS)).astype("int32")


def _digits(count: int) -> np.ndarray:
    from sklearn.datasets import load_digits  # heavy, and only these rows need it

    return load_digits().data[:count].astype("uint8")
