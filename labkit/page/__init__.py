"""Pages for everyone: what a lab showed, as one HTML file that needs no kernel and no network."""

from __future__ import annotations

import os
from pathlib import Path

from labkit import facts
from labkit.page.document import document, held
from labkit.widgets.recording import stage
from labkit.widgets.stage import Stage

__all__ = ["save"]


def save(shown: Stage | facts.Recording, path: str | os.PathLike[str]) -> Path:
    """Write a recording or a stage as one HTML file; it opens from disk, with nothing else.

    Args:
        shown: what the page is to show.
        path: of the file, ``"psum.html"``.

    Returns:
        The path.
    """
    recorded = isinstance(shown, facts.Recording)
    title = shown.expression if recorded else "labkit"
    path = Path(path)
    path.write_text(document(title, held(stage(shown) if recorded else shown)), encoding="utf-8")
    return path
