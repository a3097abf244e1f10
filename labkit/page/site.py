"""Notebooks as pages: one each, and for several a page that leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat

from labkit.errors import LabError
from labkit.page.document import document
from labkit.page.notebook_html import Reading, body, title, words
from labkit.page.notebook_run import run
from labkit.text.markup import element, worded

STATES = "application/vnd.jupyter.widget-state+json"

FOOT = worded("footer", "Made by labkit from a real run. No kernel is needed to step.")
NAV = element("nav", worded("a", "All lessons", href="index.html"))


def write(notebooks: Sequence[Path], out: Path | None = None) -> Iterator[Path]:
    """Write a page for each notebook; a notebook without outputs is run first.

    Args:
        notebooks: the files.
        out: the page's file, or for several notebooks the folder; beside the notebook if None.

    Yields:
        Each page once it is written, the index last where there is one.

    Raises:
        LabError: a file is no notebook, or a cell failed that was not meant to.
    """
    several = len(notebooks) > 1 or (out is not None and out.suffix != ".html")
    if several and out:
        out.mkdir(parents=True, exist_ok=True)
    read = {path: _read(path) for path in notebooks}
    for path, notebook in read.items():
        page = path.with_suffix(".html") if out is None else out
        page = out / f"{path.stem}.html" if several and out else page
        nav = NAV if several and out else ""
        inner = body(notebook, Reading(path.parent, _widgets(notebook, path)))
        page.write_text(document(title(notebook), nav + inner + FOOT), encoding="utf-8")
        yield page
    if several and out:
        yield _index(read, out)


def _read(path: Path) -> Any:
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError) as error:
        raise LabError(f"Given {path}; expected a notebook, lesson.ipynb: {error}") from None


def _widgets(notebook: Any, path: Path) -> dict[str, Any]:
    """What the notebook's widgets held: kept in it with its outputs, or told by a run now."""
    if not any(cell.get("outputs") for cell in notebook.cells):
        return run(notebook, path.parent)
    kept = notebook.metadata.get("widgets", {}).get(STATES, {}).get("state", {})
    return {model: told["state"] for model, told in kept.items()}


def _index(read: dict[Path, Any], out: Path) -> Path:
    """A page that names every notebook, with what it asks and how long it takes."""
    items = "".join(
        element("h2", worded("a", title(notebook), href=f"{path.stem}.html"))
        + _opening(notebook, path.parent)
        for path, notebook in read.items()
    )
    page = out / "index.html"
    inner = worded("h1", "labkit") + items + FOOT
    page.write_text(document("labkit", inner), encoding="utf-8")
    return page


def _opening(notebook: Any, folder: Path) -> str:
    """The first text of a notebook, without its heading."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"][:1]
    lines = "\n".join(texts).splitlines()
    return words("\n".join(line for line in lines if not line.startswith("# ")), folder)
