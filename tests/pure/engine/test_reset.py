"""What a process remembers, and that a reset forgets it; read as text, nothing imports jax."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source import PACKAGE, modules, name_of

ENGINE = {name_of(path): path for path in modules() if "engine" in path.parts}
RESET = "labkit.engine.reset"
NOT_FORGOTTEN = {
    "labkit.engine.abort": "the controller and the coordinators stay spared",
    "labkit.engine.watchdog.sampler": "emptied at the end of each cell",
}


def body(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8")).body


def listed() -> Iterator[str]:
    """The modules whose ``forget`` stands in one of the two lists."""
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in body(ENGINE[RESET])
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in body(ENGINE[RESET]):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            for each in node.value.elts:
                assert isinstance(each, ast.Attribute)
                assert each.attr == "forget"
                yield imported[ast.unparse(each.value)]


def forgets(path: Path) -> bool:
    return any(isinstance(n, ast.FunctionDef) and n.name == "forget" for n in body(path))


def remembers(path: Path) -> list[str]:
    """Variables of the module that are not constants: ``_held: list[Any] = []``."""
    found = (n.target.id for n in body(path) if isinstance(n, ast.AnnAssign))
    return [name for name in found if not name.isupper()]


def test_every_module_that_can_forget_is_asked_to_once():
    able = [name for name, path in ENGINE.items() if forgets(path) and name != RESET]
    assert sorted(listed()) == sorted(able)
    assert len(able) > 4


@pytest.mark.parametrize("name", [name for name, path in ENGINE.items() if remembers(path)])
def test_a_module_that_remembers_can_forget_or_says_why_not(name):
    assert forgets(ENGINE[name]) != (name in NOT_FORGOTTEN), remembers(ENGINE[name])


def test_there_is_something_to_remember():
    assert PACKAGE / "engine" / "join.py" in [p for p in ENGINE.values() if remembers(p)]
    assert set(NOT_FORGOTTEN) <= {name for name, path in ENGINE.items() if remembers(path)}
