"""JupyterLab as a learner meets it: the server behind `labkit lab`, and what one does in it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from playwright.sync_api import Locator, Page

from labkit.cluster.ports import free_port
from tests.source import ROOT

SHOTS = ROOT / "test-output" / "screenshots"
TOKEN = "browser-test"


@dataclass(frozen=True)
class JupyterLab:
    """A running server.

    Attributes:
        url: its address, without a slash at the end.
        work: the working copy of the lessons that it serves.
        log: what it wrote.
    """

    url: str
    work: Path
    log: Path

    def ask(self, path: str, method: str = "GET"):
        headers = {"Authorization": f"token {TOKEN}"}
        with urlopen(Request(self.url + path, method=method, headers=headers), timeout=10) as reply:
            return json.loads(reply.read() or "null")

    def answers(self) -> bool:
        try:
            return bool(self.ask("/api/status"))
        except (URLError, ConnectionError, TimeoutError):
            return False

    def session(self, notebook: str) -> dict | None:
        return next((s for s in self.ask("/api/sessions") if s["path"] == notebook), None)

    def settled(self, notebook: str) -> bool:
        """Whether the kernel is idle *and* the page has connected to it.

        The page shows an idle kernel before its connection has settled, and Run All then
        silently runs nothing.
        """
        session = self.session(notebook)
        kernel = session["kernel"] if session else {}
        return kernel.get("execution_state") == "idle" and kernel.get("connections", 0) >= 1

    def close_sessions(self) -> None:
        for session in self.ask("/api/sessions"):
            self.ask(f"/api/sessions/{session['id']}", method="DELETE")


@contextmanager
def serve(folder: Path) -> Iterator[JupyterLab]:
    """A server with settings, kernels and state of its own, which ends with the block."""
    port = free_port()
    lab = JupyterLab(f"http://127.0.0.1:{port}", folder / "lessons", folder / "server.log")
    command = [str(Path(sys.executable).with_name("labkit")), "lab", "--work", str(lab.work)]
    command += ["--", "--no-browser", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    with lab.log.open("wb") as log:
        server = subprocess.Popen(command, env=surroundings(folder), stdout=log, stderr=log)
    try:
        wait_for(lambda: lab.answers() or server.poll() is not None, 60, "the server to answer")
        assert server.poll() is None, lab.log.read_text()
        yield lab
        lab.close_sessions()
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(20)


def surroundings(folder: Path) -> dict[str, str]:
    """An environment in which nothing of the user's own Jupyter is seen or changed."""
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own += ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    return {**kept, **{name: str(folder / name.lower()) for name in own}, "JUPYTER_TOKEN": TOKEN}


def wait_for(condition: Callable[[], bool], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.1)


def open_notebook(page: Page, lab: JupyterLab, notebook: str) -> None:
    """Open a lesson in a fresh workspace, and wait until its kernel really listens."""
    page.goto(f"{lab.url}/lab/tree/{notebook}?reset&token={TOKEN}")
    page.locator(".jp-Notebook").wait_for(timeout=60_000)
    wait_for(lambda: lab.settled(notebook), 60, f"the kernel of {notebook}")


def run_all(page: Page, lab: JupyterLab, notebook: str) -> None:
    """Run > Run All Cells, and wait until every cell has run."""
    choose_from_run_menu(page, "Run All Cells")
    count = len(code_cells(lab, notebook))
    wait_until_ran(page, lab, notebook, count)


def run_above(page: Page, lab: JupyterLab, notebook: str, cell: Locator) -> None:
    """Go to a cell, Run > Run All Above Selected Cell, and wait until those have run."""
    cell.locator(".cm-content").click()
    count = page.locator(".jp-CodeCell").evaluate_all(
        "(all, one) => all.indexOf(one)", cell.element_handle()
    )
    choose_from_run_menu(page, "Run All Above Selected Cell")
    wait_until_ran(page, lab, notebook, count)


def choose_from_run_menu(page: Page, item: str) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def wait_until_ran(page: Page, lab: JupyterLab, notebook: str, count: int) -> None:
    """Wait until so many cells have run, with no error but those that a lesson is about.

    Read from the saved file: a page may hold only the cells in view.
    """

    def enough() -> bool:
        page.keyboard.press("Control+s")
        page.wait_for_timeout(400)
        cells = code_cells(lab, notebook)
        wrong = surprises(cells)
        assert not wrong, wrong
        return sum(bool(cell["execution_count"]) for cell in cells) >= count

    wait_for(enough, 200, f"{count} cells of {notebook} to run")


def code_cells(lab: JupyterLab, notebook: str) -> list[dict]:
    """The code cells in the saved file; none while it is just being written.

    Asking the server for them while the page saves would make both fail.
    """
    try:
        cells = json.loads((lab.work / notebook).read_text(encoding="utf-8"))["cells"]
    except (ValueError, FileNotFoundError):
        return []
    return [cell for cell in cells if cell["cell_type"] == "code"]


def surprises(cells: list[dict]) -> list[str]:
    """Errors in cells that were not written to raise one."""
    return [
        f"{cell['id']}: {output['ename']}: {output['evalue']}"
        for cell in cells
        for output in cell["outputs"]
        if output["output_type"] == "error"
        and "raises-exception" not in cell["metadata"].get("tags", ())
    ]
