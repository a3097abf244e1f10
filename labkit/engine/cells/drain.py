"""Waits for the work that a cell has dispatched, and raises what went wrong in it, once."""

from __future__ import annotations

import weakref

import jax

# Arrays whose error a cell has shown already, by id: they cannot be hashed.
_reported: weakref.WeakValueDictionary[int, jax.Array] = weakref.WeakValueDictionary()


def drain() -> None:
    """Wait for all of it.

    Raises:
        BaseException: the error of an array that no cell has raised before.
    """
    for array in jax.live_arrays():
        if not array.is_deleted() and _reported.get(id(array)) is not array:
            try:
                array.block_until_ready()
            except BaseException:
                _reported[id(array)] = array
                raise
    jax.effects_barrier()


def forget() -> None:
    """Let go of the arrays whose error was shown."""
    _reported.clear()
