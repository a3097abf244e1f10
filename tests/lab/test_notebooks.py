"""Every lesson runs from top to bottom, with the solutions in place of the stubs, and its page
holds what it showed."""

import re
from pathlib import Path

import nbformat
import pytest

from labkit.errors import LabError
from labkit.page.notebook_html import STAGE, Reading, body
from labkit.page.notebook_run import run
from tests.source import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STAGED = re.compile(r"^(labkit\.explore\.\w+|lab\.step)\(.*\)$", re.MULTILINE)


def tags(cell) -> set[str]:
    return set(cell.metadata.get("tags", ()))


def solved(notebook):
    """The notebook as a learner who solved everything would have it."""
    cells = notebook.cells
    for at, cell in enumerate(cells):
        if "solution" in tags(cell):
            head, _, code = cell.source.partition("\n")
            exercise = re.fullmatch(r"%%solution (\S+)", head)
            assert exercise, f"{cell.id} does not begin with %%solution and a number"
            stub_of(cells[:at], exercise[1]).source = code
    return notebook


def stub_of(before, exercise: str):
    """The last cell tagged `stub` before a solution, with its check in between."""
    at = max(i for i, cell in enumerate(before) if "stub" in tags(cell))
    assert any(f'check("{exercise}")' in cell.source for cell in before[at:]), exercise
    return before[at]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_lesson_runs_with_its_solutions(path: Path):
    notebook = solved(nbformat.read(path, as_version=4))
    try:
        widgets = run(notebook, path.parent)
    except LabError as failure:
        pytest.fail(f"{without_colour(str(failure))}\n{printed(notebook)}", pytrace=False)
    for cell in notebook.cells:
        if "check(" in cell.source:
            assert "Right" in shown(cell), f"{cell.id}: {shown(cell)}"
        if re.fullmatch(r"labkit\.predict\(\S+\)", cell.source):  # the answer is one of the choices
            assert not re.search("No answer|none of the choices", shown(cell)), shown(cell)
        if "raises-exception" in tags(cell):
            assert raised(cell), f"{cell.id} was to fail, and did not"
    assert_page(notebook, Reading(path.parent, widgets))


def assert_page(notebook, reading: Reading) -> None:
    """Each stage that a cell showed is on the page, with its scenes."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and STAGED.search(cell.source) and not raised(cell):
            alone = nbformat.v4.new_notebook(cells=[cell])
            assert 'class="lk-model"' in body(alone, reading), f"{cell.id} has no stage"
    stages = [told for told in reading.widgets.values() if told.get("_anywidget_id") == STAGE]
    assert all(told["runs"] for told in stages)


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def shown(cell) -> str:
    """What a cell's last expression came to, as text."""
    results = [out for out in cell.outputs if out.output_type == "execute_result"]
    return results[-1].data["text/plain"] if results else ""


def raised(cell) -> bool:
    return any(out.output_type == "error" for out in cell.outputs)


def printed(notebook) -> str:
    """What the notebook's cells printed, the last ones last."""
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    return "".join(out.text for out in outputs if out.output_type == "stream")[-4000:]
