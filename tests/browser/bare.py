"""A page with nothing on it but stages, as labkit writes pages."""

from pathlib import Path

from labkit.page.document import document, held
from labkit.widgets.stage import Stage


def write_page(folder: Path, *stages: Stage) -> str:
    """Writes the page and gives its file:// address."""
    path = folder / "stages.html"
    path.write_text(document("stages", "".join(map(held, stages))), encoding="utf-8")
    return path.as_uri()
