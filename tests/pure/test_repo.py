"""The repository against itself: lists that must agree, notebooks as they may be committed."""

import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from tests.source import ROOT, imports, modules, names
from tools import room

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LONGEST_CODE_CELL = 14


def declared() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["dependencies"] + project["optional-dependencies"]["lessons"]


def cells(notebook: Path) -> list[dict]:
    return json.loads(notebook.read_text())["cells"]


def code_cells(notebook: Path) -> list[dict]:
    return [cell for cell in cells(notebook) if cell["cell_type"] == "code"]


def test_binder_uses_the_same_environment():
    root, binder = ROOT / "environment.yml", ROOT / "binder" / "environment.yml"
    assert binder.read_bytes() == root.read_bytes()
    assert not binder.is_symlink()  # a builder may copy a link as a link


def test_the_environment_lists_what_pyproject_declares():
    *conda, pip = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert [re.split("[=<>]", item)[0] for item in conda] == ["python", "pip"]
    assert sorted(pip["pip"]) == sorted(declared())


def test_every_imported_package_is_declared():
    names = {re.split("[<>=]", line)[0].lower().replace("-", "_") for line in declared()}
    owners = packages_distributions()
    for path in modules():
        for name in {module.split(".")[0] for module in imports(path)} - sys.stdlib_module_names:
            owner = {owner.lower().replace("-", "_") for owner in owners.get(name, [name])}
            assert name == "labkit" or owner & names, f"{path.name} imports {name}: not declared"


def test_the_tests_of_every_room_are_listed_and_there():
    rooms = {name.split(".")[1] for name in names() if name != "labkit"}
    assert set(room.ALSO) == rooms
    paths = {path for each in rooms for path in room.tests(each)}
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_lessons_are_numbered_from_zero_and_no_number_is_used_twice():
    numbers = [path.name[:3] for path in NOTEBOOKS]
    assert numbers[:3] == ["00_", "01_", "02_"]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
class TestNotebook:
    def test_holds_no_outputs(self, notebook):
        for cell in code_cells(notebook):
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
        assert "widgets" not in json.loads(notebook.read_text())["metadata"]

    def test_has_cell_ids_that_were_chosen(self, notebook):
        ids = [cell["id"] for cell in cells(notebook)]
        assert len(set(ids)) == len(ids)
        chance = [cell_id for cell_id in ids if re.fullmatch("[0-9a-f]{8}(-.*)?", cell_id)]
        assert chance == [], "ids made by chance change whenever a notebook is written again"

    def test_has_short_code_cells(self, notebook):
        for cell in code_cells(notebook):
            lines = [line for line in "".join(cell["source"]).splitlines() if line.strip()]
            assert len(lines) <= LONGEST_CODE_CELL, f"{cell['id']} has {len(lines)} lines"

    def test_has_short_text_cells(self, notebook):
        for cell in cells(notebook):
            if cell["cell_type"] == "markdown":
                assert len("".join(cell["source"]).split()) <= 120, cell["id"]

    def test_keeps_images_as_files(self, notebook):
        text = notebook.read_text()
        assert "base64" not in text
        for image in re.findall(r"\]\(([^)\s]+\.(?:svg|png))\)", text):
            assert (notebook.parent / image).exists(), image

    def test_has_a_line_in_the_readme(self, notebook):
        rows = [line for line in readme().splitlines() if line.startswith("|")]
        assert sum(f"(notebooks/{notebook.name})" in row for row in rows) == 1


def readme() -> str:
    return (ROOT / "README.md").read_text()


def test_the_readme_names_no_lesson_that_is_not_there():
    named = re.findall(r"\(notebooks/([^)]+\.ipynb)\)", readme())
    assert set(named) == {path.name for path in NOTEBOOKS}


def test_the_readmes_links_within_the_repository_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", readme()):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_readme_starts_with_the_two_commands():
    blocks = re.findall(r"```(?:bash|sh|console)\n(.*?)```", readme(), re.DOTALL)
    assert "make lab" in blocks[0]
    assert "make test" in blocks[0]
    commands = re.findall(r"\bmake ([a-z-]+)", "".join(blocks))
    targets = re.findall(r"^([a-z-]+)(?:, [a-z]+)?:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(commands) <= set(targets)
