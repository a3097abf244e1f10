"""Modules and functions that strings name: no import finds a wrong one, so these tests do."""

import ast
import re
from functools import cache
from itertools import pairwise

import pytest

from tests.source import PACKAGE, ROOT, defined, modules, name_of

NAMED = re.compile(r"\blabkit(?:\.[A-Za-z_]\w*)+")
# Of the client of the engines, and of cells: room and function come as words.
ASKED = {"ask", "read", "send", "_ended"}
FILES = [*modules(), *sorted((ROOT / "tests").rglob("*.py")), *sorted(ROOT.glob("tools/*.py"))]
MODULES = {name_of(path): path for path in modules()}


def strings(node: ast.AST) -> list[str]:
    """Those that stand as they are: pieces of f-strings are left out."""
    pieces = {id(v) for n in ast.walk(node) if isinstance(n, ast.JoinedStr) for v in n.values}
    found = (n for n in ast.walk(node) if isinstance(n, ast.Constant) and id(n) not in pieces)
    return [n.value for n in found if isinstance(n.value, str)]


def exists(reference: str) -> bool:
    """Whether a dotted name is a module of labkit's, or one's name; longer paths are its own."""
    module = reference
    while module not in MODULES:
        module = module.rpartition(".")[0]
    first = reference.removeprefix(module).lstrip(".").split(".")[0]
    return not first or first in defined(MODULES[module])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_string_names_is_there(path):
    for text in strings(ast.parse(path.read_text(encoding="utf-8"))):
        for reference in NAMED.findall(text):
            assert exists(reference), f"{reference} in {text!r}"


@cache
def asked() -> list[tuple[str, str]]:
    """(room, function) of every call that asks an engine."""
    calls = (n for path in modules() for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    words = (
        [a.value if isinstance(a, ast.Constant) else None for a in call.args]
        for call in calls
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ASKED
    )
    pairs = (next(filter(all, pairwise(each)), None) for each in words)
    return sorted(set(filter(None, pairs)))


def test_calls_of_the_engines_are_found():
    assert {("cells.run", "run"), ("cells.run", "record")} < set(asked())
    assert len(asked()) > 10


@pytest.mark.parametrize(("room", "function"), asked())
def test_a_function_that_an_engine_is_asked_for_is_there(room, function):
    path = PACKAGE / "engine" / f"{room.replace('.', '/')}.py"
    assert function in defined(path)
