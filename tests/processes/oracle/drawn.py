"""JAX's own drawing of a sharding, as text."""

import contextlib
import io

import jax


def drawn(array: jax.Array) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as screen:
        jax.debug.visualize_array_sharding(array, use_color=False)
    return screen.getvalue()
