"""Marks come from the folder a test lies in, so no file has to repeat them."""

from pathlib import Path

import pytest

FOLDERS = {"processes", "lab", "browser", "bench"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for folder in FOLDERS & set(Path(item.path).parts):
            item.add_marker(folder)
