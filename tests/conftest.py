"""Marks and order come from the folder a test lies in, so no file has to repeat them."""

from pathlib import Path

import pytest

# Quick ones first. The browser's come last: Playwright keeps an event loop running in this
# process from its first test on, and an explorer that finds one waits for it to turn.
FOLDERS = ("pure", "processes", "lab", "packaging", "bench", "browser")
MARKED = {
    "processes": ["processes"],
    "lab": ["lab"],
    "bench": ["bench"],
    # Python and JAX beneath are those of tests/lab; here it is the pages that are tested.
    "browser": ["browser", "one_end"],
}


def folder(item: pytest.Item) -> str:
    return next(name for name in FOLDERS if name in Path(item.path).parts)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: FOLDERS.index(folder(item)))
    for item in items:
        for marker in MARKED.get(folder(item), ()):
            item.add_marker(marker)
