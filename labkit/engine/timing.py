"""Time calls in this process: each expression in turn, round after round."""

from __future__ import annotations

import gc
import linecache
import time
from collections.abc import Sequence
from types import CodeType
from typing import Any

import jax
import numpy as np

_LABEL = "measured"
_WARM = 2  # calls before those that count: the first compiles, the second meets cold caches


def time_calls(expressions: Sequence[str], rounds: int, names: dict[str, Any]) -> np.ndarray:
    """Seconds from the call until its values are there.

    In each round another expression comes first, in every process the same: what one leaves
    behind for the next does not always meet the same one. Python's garbage is collected before,
    and not meanwhile.

    Args:
        expressions: what to call.
        rounds: how often.
        names: the namespace they are evaluated in.

    Returns:
        (expressions, rounds) float64.
    """
    codes = _compiled(expressions)
    for code in codes * _WARM:
        _lap(code, names)
    took = np.zeros((len(codes), rounds))
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            for place in range(len(codes)):
                which = (place + turn) % len(codes)
                took[which, turn] = _lap(codes[which], names)
    finally:
        gc.enable()
    return took


def _compiled(expressions: Sequence[str]) -> list[CodeType]:
    """The expressions, each in a line of its own for tracebacks."""
    text = "\n".join(expressions)
    linecache.cache[_LABEL] = (len(text), None, text.splitlines(True), _LABEL)
    return [compile("\n" * i + one, _LABEL, "eval") for i, one in enumerate(expressions)]


def _lap(code: CodeType, names: dict[str, Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(eval(code, names))
    return time.perf_counter() - start
