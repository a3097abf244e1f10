import io
import sys
from types import SimpleNamespace

import IPython
import pytest

from labkit.display import notebook


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def shown(monkeypatch):
    """What a notebook shows: the bundles in the order in which one output held them."""
    bundles = []
    handle = SimpleNamespace(update=lambda bundle, raw: bundles.append(bundle))

    def display(bundle, raw, display_id):
        bundles.append(bundle)
        return handle

    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr("IPython.display.display", display)
    return bundles


def test_a_script_is_no_notebook_and_neither_is_a_terminals_ipython(monkeypatch):
    assert not notebook.in_notebook()
    monkeypatch.setattr(IPython, "get_ipython", SimpleNamespace)
    assert not notebook.in_notebook()


def test_a_notebook_shows_one_line_that_changes_and_goes(shown):
    with notebook.progress() as report:
        report("starting")
        report("joining")
    assert [bundle["text/plain"] for bundle in shown] == [
        "labkit: starting …",
        "labkit: joining …",
        "",
    ]


def test_a_notebook_shows_nothing_when_there_was_nothing_to_report(shown):
    with notebook.progress():
        pass
    assert shown == []


def test_a_terminal_shows_one_line_that_changes_and_goes(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with notebook.progress() as report:
        report("starting")
        report("joining")
    assert screen.getvalue().split("\r\033[K") == [
        "",
        "labkit: starting …",
        "labkit: joining …",
        "",
    ]


def test_the_line_goes_also_when_the_work_fails(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with pytest.raises(TypeError), notebook.progress() as report:
        int(report("starting"))  # None
    assert screen.getvalue().endswith("\r\033[K")


def test_a_file_gets_no_progress(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with notebook.progress() as report:
        report("starting")
    assert file.getvalue() == ""
