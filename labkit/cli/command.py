"""The console command.

``labkit lab`` opens the lessons, ``labkit doctor`` checks a machine, ``labkit page`` makes pages.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import labkit
from labkit.errors import LabError

# JupyterLab would ask about its news, look for newer versions of itself, and list extensions
# from the internet. A lesson needs none of it, and a workshop's network may not allow it.
SETTINGS = Path(__file__).parent / "jupyterlab"
OFFLINE = (f"--LabApp.app_settings_dir={SETTINGS}", "--LabApp.extension_manager=readonly")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status is 0 when all went well."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    top = argparse.ArgumentParser(prog="labkit", description=__doc__)
    top.add_argument("--version", action="version", version=f"labkit {labkit.__version__}")
    commands = top.add_subparsers(required=True, metavar="lab | doctor | page")
    add_lab(commands.add_parser("lab", help="open the lessons in JupyterLab"))
    doctor = commands.add_parser("doctor", help="check this machine: both experiments, as text")
    doctor.set_defaults(run=run_doctor)
    add_page(commands.add_parser("page", help="notebooks as HTML pages that need no kernel"))
    return top


def add_lab(lab: argparse.ArgumentParser) -> None:
    """The arguments of ``labkit lab``."""
    lab.add_argument("--notebooks", type=Path, metavar="FOLDER", help="where the lessons are")
    lab.add_argument("--work", type=Path, metavar="FOLDER", help="where your own copy is to be")
    lab.add_argument("--fresh", metavar="01", help="only make one lesson as new again")
    lab.add_argument("jupyter", nargs="*", metavar="-- ...", help="passed on to JupyterLab")
    lab.set_defaults(run=run_lab)


def add_page(page: argparse.ArgumentParser) -> None:
    """The arguments of ``labkit page``."""
    page.add_argument("notebooks", type=Path, nargs="+", metavar="FILE.ipynb")
    page.add_argument("-o", "--out", type=Path, help="the page, or a folder for several")
    page.set_defaults(run=run_page)


def run_lab(options: argparse.Namespace) -> int:
    """Refresh the working copy, then become JupyterLab."""
    from labkit.cli import working_copy

    source = (options.notebooks or Path(__file__).resolve().parents[2] / "notebooks").resolve()
    work = (options.work or source.parent / "work").resolve()
    if options.fresh:
        print(working_copy.fresh(source, work, options.fresh))
        return 0
    for words in working_copy.refresh(source, work):
        print(words, flush=True)
    first = work / working_copy.lessons(source)[0].name
    os.execv(sys.executable, jupyterlab(work, first, options.jupyter))


def jupyterlab(work: Path, first: Path, more: list[str]) -> list[str]:
    """The command line that opens JupyterLab on a lesson."""
    # Root is usual in containers; the server listens on loopback and asks for its token.
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    place = ["--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={work}"]
    return [sys.executable, "-m", "jupyterlab", *OFFLINE, *root, *place, *more, str(first)]


def run_page(options: argparse.Namespace) -> int:
    """Write the pages; notebooks without outputs are run first."""
    from labkit.page import site

    for page in site.write(options.notebooks, options.out):
        print(f"Wrote {page}", flush=True)
    return 0


def run_doctor(options: argparse.Namespace) -> int:
    """Check this machine."""
    from labkit.cli import doctor

    return doctor.main()
