"""Marks on the statements of a cell, so that what they launch can be told by line."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from IPython import get_ipython

MARK = "__labkit_line__"
_BODIES = ("body", "orelse", "finalbody")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def python(source: str) -> str:
    """A cell as plain Python, every line where the learner wrote it.

    IPython takes away empty lines at the beginning; the numbers of the others would move.
    """
    rest = source.lstrip("\n")
    return "\n" * (len(source) - len(rest)) + get_ipython().transform_cell(rest)


def marked(statement: ast.stmt) -> ast.stmt:
    """The statement, with every statement inside its branches and loops marked by its line.

    Functions and classes stay as they are: what they launch belongs to the line that calls them.
    """
    if not isinstance(statement, _SCOPES):
        for inner in [statement, *getattr(statement, "handlers", [])]:
            for name in _BODIES:
                if getattr(inner, name, None):
                    setattr(inner, name, [_mark(child) for child in getattr(inner, name)])
    return statement


def _mark(statement: ast.stmt) -> ast.stmt:
    marked(statement)
    call = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(statement.lineno)], [])
    with_line = ast.With([ast.withitem(call)], [statement])
    return ast.fix_missing_locations(ast.copy_location(with_line, statement))


def execute(
    statement: ast.stmt, label: str, namespace: dict[str, Any], at_line: Callable[[int], Any]
) -> Any:
    """Execute one statement of a cell; its value if it is an expression."""
    namespace[MARK] = at_line
    try:
        with at_line(statement.lineno):
            if isinstance(statement, ast.Expr):
                return eval(compile(ast.Expression(statement.value), label, "eval"), namespace)
            exec(compile(ast.Module([marked(statement)], []), label, "exec"), namespace)
    finally:
        namespace.pop(MARK, None)
