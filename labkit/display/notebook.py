"""Short live texts while something takes its time: in a notebook, a terminal, or nowhere."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Progress:
    """One line that changes, and goes when the work is done."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._tty = not in_notebook() and sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        """Show this text now; from a thread it would land in any cell, so there it is not."""
        if threading.current_thread() is not threading.main_thread():
            return
        if in_notebook():
            self._show({"text/plain": f"labkit: {text} …"})
        elif self._tty:
            print(f"\r\033[Klabkit: {text} …", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._handle is not None:
            self._show({"text/plain": ""})
        elif self._tty:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _show(self, bundle: dict[str, str]) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress line for the length of a ``with`` block."""
    line = Progress()
    try:
        yield line
    finally:
        line.clear()


def in_notebook() -> bool:
    """Whether this is a Jupyter kernel, where outputs can be changed."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return getattr(shell, "kernel", None) is not None
