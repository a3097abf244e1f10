"""The working copy of the lessons: what a learner opens, edits and keeps.

Beside each lesson handed out lies, out of sight, a copy as it was then. From the two it is
plain whether the learner has edited a lesson and whether the project has a newer one.
"""

from __future__ import annotations

import json
import shutil
from itertools import count
from pathlib import Path

from labkit.errors import LabError

HANDED_OUT = ".handed-out"


def lessons(source: Path) -> list[Path]:
    """The notebooks in a folder, in order.

    Raises:
        LabError: there is none.
    """
    found = sorted(source.glob("[0-9]*.ipynb"))
    if not found:
        raise LabError(
            f"No lessons in {source}. The lessons are the notebooks/ folder of the project's "
            "repository, and are not part of the installed package: run `make lab` in a copy of "
            "the repository, or name their folder: labkit lab --notebooks FOLDER"
        )
    return found


def refresh(source: Path, work: Path) -> list[str]:
    """Bring a working copy up to date, leaving alone whatever its owner has edited.

    Args:
        source: the project's notebooks.
        work: the working copy; made if missing.

    Returns:
        One sentence for each lesson that needs the learner's attention.
    """
    lessons(source)
    files = [path for path in sorted(source.rglob("*")) if path.is_file() and visible(path, source)]
    said = [deliver(path, work, path.relative_to(source)) for path in files]
    return [words for words in said if words]


def visible(path: Path, source: Path) -> bool:
    """Whether no part of its path under ``source`` begins with a dot."""
    return not any(part.startswith(".") for part in path.relative_to(source).parts)


def deliver(new: Path, work: Path, name: Path) -> str:
    """Hand out one file, unless that would overwrite an edited one."""
    mine, before = work / name, work / HANDED_OUT / name
    if before.exists() and mine.exists() and before.read_bytes() == new.read_bytes():
        return ""
    if mine.exists() and edited(mine, before):
        return set_beside(new, mine, before)
    copy(new, mine)
    copy(new, before)
    return ""


def set_beside(new: Path, mine: Path, before: Path) -> str:
    """Put a new version of an edited lesson next to it."""
    beside = free_name(mine, "new")
    copy(new, beside)
    copy(new, before)
    return f"{mine.name} has a new version. Yours is untouched; the new one is {beside.name}."


def edited(mine: Path, before: Path) -> bool:
    """Whether somebody wrote in a file since it was handed out; running it is not writing."""
    return not before.exists() or written(mine) != written(before)


def written(path: Path) -> object:
    """What people write in a notebook: its cells without their outputs. Other files: all of it."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [(c["cell_type"], "".join(c["source"]), c.get("attachments")) for c in cells]
    except (ValueError, KeyError, TypeError):
        return path.read_bytes()


def fresh(source: Path, work: Path, lesson: str) -> str:
    """Hand out one lesson as new, and keep the learner's own beside it.

    Args:
        source: the project's notebooks.
        work: the working copy.
        lesson: how the lesson's name begins: ``"01"``.

    Returns:
        What was done, in a sentence.

    Raises:
        LabError: no lesson begins so, or more than one does.
    """
    new = one_lesson(source, lesson)
    mine, before = work / new.name, work / HANDED_OUT / new.name
    kept = ""
    if mine.exists() and edited(mine, before):
        backup = free_name(mine, "mine")
        mine.rename(backup)
        kept = f" Yours is kept as {backup.name}."
    copy(new, mine)
    copy(new, before)
    return f"{new.name} is as new.{kept} If it is open: File > Reload Notebook from Disk."


def one_lesson(source: Path, beginning: str) -> Path:
    """The lesson whose name begins so."""
    known = lessons(source)
    found = [path for path in known if beginning and path.name.startswith(beginning)]
    if len(found) != 1:
        names = ", ".join(path.stem for path in known)
        raise LabError(f"{beginning!r} does not name one lesson. The lessons are: {names}")
    return found[0]


def free_name(path: Path, word: str) -> Path:
    """``01_psum.new-1.ipynb``: the first such name beside a file that is not taken."""
    names = (path.with_name(f"{path.stem}.{word}-{n}{path.suffix}") for n in count(1))
    return next(name for name in names if not name.exists())


def copy(new: Path, target: Path) -> None:
    """Copy a file, making the folders above it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(new, target)
