"""Running a notebook to the end, and keeping what its widgets showed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from labkit.errors import LabError
from labkit.page.widget_state import STATES

SECONDS_A_CELL = 180

SETTLE = "import labkit.page.widget_state as _kept; await _kept.settled(Out)"

KEEP = "import labkit.page.widget_state as _kept; _kept.show()"


def run(notebook: Any, folder: Path) -> dict[str, Any]:
    """Run all cells in a fresh kernel; outputs are put into the notebook.

    Args:
        notebook: as nbformat reads it.
        folder: where it runs.

    Returns:
        Model id → state of each widget at the end.

    Raises:
        LabError: a cell failed that was not meant to.
    """
    whole = nbformat.v4.new_notebook(metadata=notebook.metadata, cells=_with_hidden(notebook.cells))
    client = NotebookClient(
        whole,
        timeout=SECONDS_A_CELL,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute()
    except CellExecutionError as failure:
        raise LabError(f"A cell failed, so there is no page of the notebook:\n{failure}") from None
    shown = (out.get("data", {}) for out in whole.cells[-1].outputs)
    return next(data[STATES] for data in shown if STATES in data)


def _with_hidden(cells: list[Any]) -> list[Any]:
    """After each code cell one that waits for its explorers, at the end one that keeps widgets."""
    found = []
    for cell in cells:
        found += [cell] + [nbformat.v4.new_code_cell(SETTLE)] * (cell.cell_type == "code")
    return [*found, nbformat.v4.new_code_cell(KEEP)]
