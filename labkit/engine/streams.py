"""Python's own output only: what XLA and gloo write to the file descriptors goes to the log."""

from __future__ import annotations

from typing import Any

from ipykernel.iostream import OutStream


class PythonStream(OutStream):
    """ipykernel's stream without its watch over file descriptors 1 and 2."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, watchfd=False, **kwargs)
