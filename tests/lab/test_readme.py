"""What the README shows is what happens."""

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import labkit
from tests.source import ROOT
from tools import pictures


def test_the_readmes_example_gives_the_values_it_names():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    last, *first = reversed(blocks)
    # A cell shows its last expression only, and here every line of the last block gives one.
    cells = [*reversed(first), *last.splitlines()]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(notebook, timeout=60, store_widget_state=False).execute()
    values = notebook.cells[-2].outputs[-1].data["text/plain"]
    assert "'p0·d0': array([12, 16]" in values
    assert "'p1·d3': array([44, 48]" in values


def test_the_readmes_picture_is_what_a_run_draws_today(tmp_path):
    with labkit.start(processes=2, devices=4) as lab:
        drawn = pictures.psum(lab).save(tmp_path / "psum.svg")
    assert without_style(drawn) == without_style(pictures.PSUM), "make pictures draws it again"


def without_style(path: Path) -> str:
    return re.sub("<style>.*</style>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
