"""Chromium for the browser tests, and a page that notices what must not happen on it."""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.jupyter import SHOTS, JupyterLab, serve

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_path() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    if path is None and not os.environ.get("CI"):
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page that fails its test on a console error or a request beyond this machine."""
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    page.set_default_timeout(5_000)
    errors, strangers = [], []
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: is_local(request.url) or strangers.append(request.url))
    yield page
    page.close()
    assert errors == []
    assert strangers == []


@pytest.fixture(scope="session")
def jupyterlab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    SHOTS.mkdir(parents=True, exist_ok=True)
    with serve(tmp_path_factory.mktemp("jupyter")) as lab:
        yield lab


@pytest.fixture
def tab(page: Page, jupyterlab: JupyterLab) -> Iterator[Page]:
    """A page of JupyterLab; the notebooks opened on it are shut down at the end."""
    page.set_default_timeout(20_000)
    yield page
    jupyterlab.close_sessions()


def is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("file", "data", "blob", "about") or parts.hostname == "127.0.0.1"
