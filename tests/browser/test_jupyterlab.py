"""A learner in JupyterLab: opens a lesson, runs it, and uses what is in it."""

import pytest

from tests.browser.jupyter import JupyterLab, open_notebook, run_all, serve, surprises
from tests.source import ROOT

SHOTS = ROOT / "test-output" / "screenshots"


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory):
    SHOTS.mkdir(parents=True, exist_ok=True)
    with serve(tmp_path_factory.mktemp("jupyter")) as lab:
        yield lab


@pytest.fixture(autouse=True)
def no_kernel_is_left(jupyterlab):
    yield
    jupyterlab.close_sessions()


def test_the_first_lesson_opens_and_runs(page, jupyterlab: JupyterLab):
    page.set_default_timeout(20_000)
    open_notebook(page, jupyterlab, "00_start_here.ipynb")
    run_all(page, jupyterlab, "00_start_here.ipynb")
    assert surprises(jupyterlab, "00_start_here.ipynb") == []
    page.screenshot(path=SHOTS / "lesson-00.png")
    assert page.locator(".Toastify__toast, .jp-Dialog").all_text_contents() == []
