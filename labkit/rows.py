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
        read: row numbers in the order in which they were read; one read twice is there twice.
        nbytes: how many bytes of rows came from the file.
        columns: numbers in a row.
        dtype: their type.
    """

    def __init__(self, path: str | Path, count: int | None = None) -> None:
        table = np.load(path, mmap_mode="r")[:count]  # reads the header only
        self._path, self._start, self._count = path, table.offset, len(table)
        self.columns, self.dtype = table.shape[1], table.dtype
        self.read, self.nbytes = np.zeros(0, "int32"), 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, wanted: int | slice | np.ndarray) -> np.ndarray:
        """The rows asked for, of shape (rows, columns), read from the file now."""
        numbers = np.atleast_1d(np.arange(len(self))[wanted])
        with open(self._path, "rb") as file:
            content = b"".join(self._row(file.fileno(), number) for number in numbers)
        self.read = np.append(self.read, numbers.astype("int32"))
        self.nbytes += len(content)
        return np.frombuffer(content, self.dtype).reshape(len(numbers), self.columns)

    def _row(self, file: int, number: int) -> bytes:
        size = self.columns * self.dtype.itemsize
        return os.pread(file, size, self._start + int(number) * size)


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
