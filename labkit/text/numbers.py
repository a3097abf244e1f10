"""Elements as short texts: about six characters each, alike within one shard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Writer = Callable[[Any], str]


def writer(values: Sequence[np.ndarray], dtype: str, digits: int) -> Writer:
    """How to write an element, the same for all shards of an array, so that columns line up.

    Args:
        values: what is known of each shard.
        dtype: the array's element type in words, ``"bfloat16"`` or ``"key<fry>"``.
        digits: about how many digits to keep.
    """
    if dtype.startswith("key<"):
        return lambda words: ",".join(number(word, digits) for word in words)
    plain = [_plain(value) for value in values]
    if plain and all(value.dtype.kind == "f" for value in plain):
        decimals = _decimals(np.concatenate([value.ravel() for value in plain]), digits)
        if decimals:
            return lambda value: _fixed(float(value), decimals, digits)
    return lambda value: number(value, digits)


def number(value: Any, digits: int = 5) -> str:
    """One element alone: ``T``, ``12``, ``0.3333``, ``1.23e9``, ``1.0+2.0j``."""
    if isinstance(value, bool | np.bool_):
        return "T" if value else "F"
    if isinstance(value, int | np.integer):
        return _whole(int(value), digits)
    if isinstance(value, complex | np.complexfloating):
        sign = "-" if value.imag < 0 else "+"
        return f"{_real(value.real, digits - 1)}{sign}{_real(abs(value.imag), digits - 1)}j"
    try:
        return _real(float(value), digits)
    except (TypeError, ValueError):
        return str(value)


def _plain(values: np.ndarray) -> np.ndarray:
    """bfloat16 and its like as float32, which holds them exactly and which numpy can format."""
    if values.dtype.kind == "V" or values.dtype.name.startswith(("bfloat", "float8")):
        return values.astype(np.float32)
    return values


def _fixed(value: float, decimals: int, digits: int) -> str:
    text = f"{value:.{decimals}f}"
    hides = value != 0 and float(text) == 0  # what is not zero must not look like zero
    return number(value, max(digits - 3, 1)) if hides else text


def _decimals(values: np.ndarray, digits: int) -> int:
    """The fewest decimals that write the values as well as ``digits`` digits would.

    0 where the largest has no room for decimals.
    """
    finite = np.abs(values[np.isfinite(values)].astype(np.float64))
    largest = finite.max(initial=0)
    if largest >= 10**digits:
        return 0
    most = max(1, digits - len(str(int(largest))))
    lost = (np.abs(finite.round(few) - finite).max(initial=0) for few in range(1, most))
    return next((few for few, loss in enumerate(lost, 1) if loss < 0.5 * 10**-most), most)


def _whole(value: int, digits: int) -> str:
    text = str(value)
    return text if len(text) <= digits + 3 else _tidy(f"{value:.{digits - 2}e}")


def _real(value: float, digits: int) -> str:
    text = f"{float(value):.{digits - 1}g}"
    # A float that is whole still looks like a float.
    return text + ".0" if text.lstrip("-").isdigit() else _tidy(text)


def _tidy(text: str) -> str:
    """``1.50e+09`` as ``1.5e9``."""
    mantissa, e, power = text.partition("e")
    if not e:
        return text
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(power)}"
