"""The elements of one shard, bounded: a preview that is cheap, a digest that is complete."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
import xxhash


class Budget:
    """How much may still be spent in one call: bytes to hash, bytes to send, values to walk."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, amount: int) -> bool:
        """Whether ``amount`` was still there; only then is it spent."""
        fits = amount <= self.left
        self.left -= amount if fits else 0
        return fits


def content(data: jax.Array | np.ndarray, preview_bytes: int, budget: Budget) -> dict[str, Any]:
    """``value``, ``complete`` and ``digest`` of a shard.

    Args:
        data: the shard; PRNG keys are told as their key data.
        preview_bytes: size of the largest leading block that is given as ``value``.
        budget: bytes that may still be hashed; without enough the digest is empty.
    """
    data = readable(data)
    digest = _digest(np.asarray(data)) if budget.take(data.nbytes) else ""
    if digest or _in_memory(data):
        data = np.asarray(data)
    shape = _leading(data.shape, data.dtype.itemsize, preview_bytes)
    block = None if shape is None else np.array(data[tuple(slice(n) for n in shape)])
    return {"value": block, "complete": shape == data.shape, "digest": digest}


def readable(data: jax.Array | np.ndarray) -> jax.Array | np.ndarray:
    """The shard itself, or the ``uint32`` key data where it holds PRNG keys."""
    return jax.random.key_data(data) if is_key(data) else data


def is_key(data: jax.Array | np.ndarray) -> bool:
    """Whether the elements are PRNG keys, which numpy cannot hold."""
    return jax.numpy.issubdtype(data.dtype, jax.dtypes.prng_key)


def digest_text(text: str) -> str:
    """The digest of a text."""
    return xxhash.xxh3_128_hexdigest(text.encode(errors="replace"))


def _in_memory(data: jax.Array | np.ndarray) -> bool:
    # On a CPU device np.asarray is a view; elsewhere it would pull the whole shard, so
    # there the block is cut on the device.
    return isinstance(data, np.ndarray) or data.device.platform == "cpu"


def _leading(shape: tuple[int, ...], itemsize: int, limit: int) -> tuple[int, ...] | None:
    """A leading block of at most ``limit`` bytes, made by halving the longest side."""
    block = list(shape)
    while math.prod(block) * itemsize > limit:
        longest = max(range(len(block)), key=block.__getitem__, default=None)
        if longest is None or block[longest] == 1:
            return None
        block[longest] = (block[longest] + 1) // 2
    return tuple(block)


def _digest(data: np.ndarray) -> str:
    return xxhash.xxh3_128_hexdigest(raw(data))


def raw(data: np.ndarray) -> np.ndarray:
    """The elements' bytes in a row, without a copy: every dtype has them, bfloat16 and int4 too."""
    if not data.nbytes:
        return np.empty(0, np.uint8)
    return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
