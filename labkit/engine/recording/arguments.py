"""An expression split into a function and the arrays it is given."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from labkit.engine.arrays.describe import is_array, is_host_array


@dataclass(frozen=True)
class SplitCall:
    """What is to be recorded.

    Attributes:
        function: takes as many arrays, gives the expression's value.
        arrays: what the expression's arguments hold.
        names: of each, as the learner would write it: ``x``, ``params['w']``.
        title: the function's name.
    """

    function: Callable[..., Any]
    arrays: list[Any]
    names: list[str]
    title: str


def split(expression: ast.expr, label: str, namespace: Mapping[str, Any]) -> SplitCall:
    """The function and the arrays of an expression.

    The arguments of a call are evaluated, once. Of any other expression, and of a call of an
    array's own method, the names in it are the arguments.

    Args:
        expression: the expression.
        label: its file name.
        namespace: what its names stand for.
    """

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), label, "eval"), {**namespace})

    if isinstance(expression, ast.Call) and not _arrays_in(expression.func, namespace):
        function = value(expression.func)
        given = [(ast.unparse(a), value(a)) for a in expression.args if not _starred(a)]
        given += [(k.arg or "", value(k.value)) for k in expression.keywords]
        if not any(map(_starred, expression.args)) and all(k.arg for k in expression.keywords):
            return _called(function, expression, given)
    given = [(name, namespace[name]) for name in _arrays_in(expression, namespace)]
    code = compile(ast.Expression(expression), label, "eval")

    def call(*values: Any) -> Any:
        return eval(code, {**namespace, **dict(zip((n for n, _ in given), values, strict=True))})

    return _of(call, given, ast.unparse(expression))


def _called(function: Any, expression: ast.Call, given: list[tuple[str, Any]]) -> SplitCall:
    count = len(expression.args)

    def call(*values: Any) -> Any:
        keywords = (keyword.arg for keyword in expression.keywords)
        return function(*values[:count], **dict(zip(keywords, values[count:], strict=True)))

    return _of(call, given, ast.unparse(expression.func))


def _starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _of(call: Callable[..., Any], given: list[tuple[str, Any]], title: str) -> SplitCall:
    """Only the arrays of the arguments are given; numbers, functions and the like stay in them."""
    found, tree = jax.tree_util.tree_flatten_with_path([value for _, value in given])
    at = [n for n, (_, leaf) in enumerate(found) if is_array(leaf) or is_host_array(leaf)]

    def with_arrays(*arrays: Any) -> Any:
        leaves = [leaf for _, leaf in found]
        for n, array in zip(at, arrays, strict=True):
            leaves[n] = array
        return call(*jax.tree_util.tree_unflatten(tree, leaves))

    paths = (found[n][0] for n in at)
    names = [given[path[0].idx][0] + jax.tree_util.keystr(path[1:]) for path in paths]
    return SplitCall(with_arrays, [found[n][1] for n in at], names, title)


def _arrays_in(expression: ast.expr, namespace: Mapping[str, Any]) -> list[str]:
    """The names in an expression that stand for arrays, or for what holds some."""
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    return [name for name in sorted(names) if _holds_arrays(namespace.get(name))]


def _holds_arrays(value: Any) -> bool:
    return any(is_array(leaf) or is_host_array(leaf) for leaf in jax.tree.leaves(value))


@contextmanager
def unchanged(namespace: dict[str, Any]) -> Iterator[None]:
    """Give names and random numbers back as they were."""
    before, numbers = dict(namespace), (random.getstate(), np.random.get_state())
    try:
        yield
    finally:
        for name in set(namespace) - set(before):
            del namespace[name]
        namespace.update(before)
        random.setstate(numbers[0])
        np.random.set_state(numbers[1])
