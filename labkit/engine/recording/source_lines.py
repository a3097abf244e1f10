"""From an equation to the learner's line, and to the very expression in it."""

from __future__ import annotations

import functools
import linecache
import os
import sysconfig
from itertools import islice
from pathlib import Path
from types import CodeType
from typing import Any

import jax

from labkit.engine.recording.tape import NOWHERE, Where

JAX = os.path.dirname(jax.__file__) + os.sep
_OURS = str(Path(__file__).parents[2]) + os.sep
_STRANGE = (
    *(JAX, _OURS, "<frozen", "<string"),
    *(sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib", "stdlib")),
)


def where(eqn: Any, otherwise: Where = NOWHERE) -> Where:
    """The innermost line of the learner's own that an equation was traced in.

    Args:
        eqn: a ``jax.extend.core.JaxprEqn``.
        otherwise: for an equation that has no such line.
    """
    traceback = eqn.source_info.traceback
    for code, instruction in zip(*traceback.raw_frames(), strict=True) if traceback else ():
        if not code.co_filename.startswith(_STRANGE):
            return _place(code, instruction)
    return otherwise


def passes(eqn: Any, file: str) -> bool:
    """Whether JAX's own file of this name took part in making an equation."""
    traceback = eqn.source_info.traceback
    frames = traceback.raw_frames()[0] if traceback else ()
    return any(c.co_filename.startswith(JAX) and c.co_filename.endswith(file) for c in frames)


def of_library(jaxpr: Any) -> bool:
    """Whether a function is JAX's own."""
    about = jaxpr.debug_info.func_src_info or ""
    return JAX in about


@functools.lru_cache(maxsize=4096)
def _place(code: CodeType, instruction: int) -> Where:
    found = islice(code.co_positions(), instruction // 2, None)
    line, end_line, start, end = next(found, (None,) * 4)
    text = linecache.getline(code.co_filename, line or 0).rstrip("\n")
    if not line or start is None or end is None or not text:
        return code.co_filename, line or 0, text, (0, 0)
    span = _characters(text, start), _characters(text, end)
    return code.co_filename, line, text, span if end_line == line else (span[0], len(text))


def _characters(text: str, column: int) -> int:
    """Python counts columns in bytes."""
    return len(text.encode()[:column].decode(errors="ignore"))


def text_of(places: list[Where]) -> tuple[str, str, int]:
    """The source that most of these lines belong to: file, text and the number of its first line.

    Of a cell it is all of it, of a longer file the part around them. The text is empty where this
    process cannot read the file.
    """
    files = [place[0] for place in places if place[0]]
    if not files:
        return "", "", 1
    file = max(dict.fromkeys(files), key=files.count)
    lines, cell = linecache.getlines(file), not os.path.isabs(file)
    used = [place[1] for place in places if place[0] == file]
    first = 1 if cell else max(1, min(used) - 3)
    last = len(lines) if cell else max(used) + 3
    return file, "".join(lines[first - 1 : last]), first
