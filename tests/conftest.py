"""Marks and order come from the folder a test lies in, so no file has to repeat them."""

from pathlib import Path

import pytest

# Quick ones first. The browser's come last: Playwright keeps an event loop running in this
# process from its first test on, and an explorer that finds one waits for it to turn.
FOLDERS = ("pure", "processes", "lab", "packaging", "bench", "browser")
MARKED = {"processes", "lab", "bench", "browser"}


def folder(item: pytest.Item) -> str:
    return next(name for name in FOLDERS if name in Path(item.path).parts)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: FOLDERS.index(folder(item)))
    for item in items:
        if folder(item) in MARKED:
            item.add_marker(folder(item))
