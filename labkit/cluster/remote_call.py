"""The one function that travels: it calls a function of the engine room by name.

The client names engine functions instead of importing them, because importing them would
start JAX in the notebook's own process.
"""

from __future__ import annotations

from typing import Any


def call(module: str, function: str, *args: Any) -> Any:
    """Run ``labkit.engine.<module>.<function>(*args)`` in the process this is sent to."""
    import importlib

    return getattr(importlib.import_module(f"labkit.engine.{module}"), function)(*args)
