"""The lab's questions about copies: a tree is held from the first question to the last."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from labkit.engine.arrays.describe import Record
from labkit.engine.arrays.queries import look_up
from labkit.engine.cells import namespaces
from labkit.engine.replicas import repair
from labkit.engine.replicas.digest import Place, Tree

_MENDED = "__mended"
_NAMESPACE = "a tree that is compared"  # emptied with all others when the lab is reset


def begin(expression: str) -> tuple[str, list[Record]]:
    """Look a tree up, hold it, and tell what its leaves are.

    Args:
        expression: ``params``, ``state.x``, or several in a tuple, list or dict.

    Returns:
        ``("", records)``; or ``("missing", [])`` where it does not exist, and
        ``("computed", [])`` where it would have to be computed.
    """
    end()
    try:
        found = _gather(ast.parse(expression, mode="eval").body, namespaces.names(None))
    except (LookupError, AttributeError):
        return "missing", []
    except ValueError:
        return "computed", []
    tree = namespaces.names(_NAMESPACE)["tree"] = Tree(found)
    return "", tree.records()


def more(question: str, wanted: Any) -> tuple[Any, ...]:
    """Another question about the tree: a method of :class:`Tree` by name, and its argument.

    The answer is in a tuple, so that its arrays travel pickled: those at the top ipyparallel
    sends as bare buffers, and bfloat16 has none.
    """
    return (getattr(_held(), question)(wanted) if _held() else {},)


def end(computed: str = "") -> None:
    """Let go of the tree, and of the name of one that was computed for this."""
    namespaces.names(_NAMESPACE).pop("tree", None)
    namespaces.names(None).pop(computed, None)


def put(path: str, labels: tuple[str, ...], copy: tuple[dict[Place, np.ndarray]]) -> None:
    """Devices get another copy of their slice of a leaf; nothing is changed before ``rebind``."""
    if tree := _held():
        repair.put(tree, path, labels, *copy[0].values())


def rebind(expression: str) -> None:
    """The names of the expression stand for the tree with what was put."""
    if tree := _held():
        names = namespaces.names(None)
        names[_MENDED] = repair.mended(tree)
        try:
            exec(f"{expression} = {_MENDED}", names)
        finally:
            names.pop(_MENDED)


def _held() -> Tree | None:
    return namespaces.names(_NAMESPACE).get("tree")


def _gather(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    """A name's value; of several in a tuple, list or dict, those that make one tree."""
    match node:
        case ast.Tuple(elts=parts) if parts:
            return tuple(_gather(part, namespace) for part in parts)
        case ast.List(elts=parts) if parts:
            return [_gather(part, namespace) for part in parts]
        case ast.Dict(keys=keys, values=parts) if all(isinstance(k, ast.Constant) for k in keys):
            return {k.value: _gather(part, namespace) for k, part in zip(keys, parts, strict=True)}
    return look_up(ast.unparse(node), namespace)
