"""Which call a frame is in, where the call leaves no frame of its own.

A compiled function is called in C++: while it is blocked there, the innermost frame is the
learner's own, as it is in ``time.sleep``. The source under the current instruction tells which.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from contextlib import suppress
from itertools import islice
from types import FrameType
from typing import Any

import jax

_COMPILED = type(jax.jit(lambda: None))
_UNKNOWN = (None, None, None, None)


def in_compiled(frame: FrameType) -> bool:
    """Whether a frame is in the call of a function that JAX has compiled.

    Told where the function has a name, ``step(x)`` or ``model.step(x)``; nothing is evaluated.
    """
    with suppress(SyntaxError, AttributeError):
        call = ast.parse(f"({_source(frame)})", mode="eval").body
        return isinstance(call, ast.Call) and isinstance(_named(call.func, frame), _COMPILED)
    return False


def _source(frame: FrameType) -> str:
    """The text of the expression that a frame is at."""
    positions = islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    first, last, start, end = next(positions, _UNKNOWN)
    if None in (first, last, start, end):
        return ""
    lines = [s.encode() for s in linecache.getlines(frame.f_code.co_filename)[first - 1 : last]]
    if len(lines) <= last - first:
        return ""
    lines[-1] = lines[-1][:end]  # the end first: both may be on one line
    lines[0] = lines[0][start:]
    return b"".join(lines).decode()


def _named(node: ast.expr, frame: FrameType) -> Any:
    match node:
        case ast.Name(id=name):
            return frame.f_locals.get(name, frame.f_globals.get(name))
        case ast.Attribute(value=holder, attr=name):
            return inspect.getattr_static(_named(holder, frame), name)
    return None
