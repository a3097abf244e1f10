"""In the kernel of a notebook that becomes a page: its widgets, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.display import display
from ipywidgets import Widget

from labkit.explorers.explorer import Explorer

STATES = "application/vnd.labkit.widgets+json"
"""The form in which the last cell shows what the widgets held."""

SCRIPTS = ("_esm", "_css")
"""What a page has once for all its stages."""


async def settled(shown: Mapping[int, Any]) -> None:
    """Wait until the explorers among the cells' results have their scenes.

    Args:
        shown: IPython's ``Out``.
    """
    for value in list(shown.values()):
        if isinstance(value, Explorer):
            await value.done()


def show() -> None:
    """Display every widget's state, without what is the same in all."""
    states = Widget.get_manager_state()["state"]
    kept = {
        model: {name: value for name, value in told["state"].items() if name not in SCRIPTS}
        for model, told in states.items()
    }
    display({STATES: kept, "text/plain": ""}, raw=True)
