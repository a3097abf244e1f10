"""Before a cell runs in some processes only: which of its calls would wait for the others.

What can be told without running the cell: calls of ``multihost_utils``, reductions of arrays
that span processes, and jitted functions whose arguments exist already: those are traced, and
compiled where the compiler may add collectives. Finding nothing proves nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
from IPython import get_ipython
from jax.experimental import multihost_utils

from labkit.engine.arrays.queries import look_up
from labkit.engine.cells import statements
from labkit.facts.hlo import CALL

_EVERYBODY = (
    *("process_allgather", "broadcast_one_to_all", "sync_global_devices", "assert_equal"),
    *("reached_preemption_sync_point",),
)
_REDUCTIONS = {"sum", "mean", "max", "min", "prod", "std", "var", "all", "any", "item", "tolist"}
_PRIMITIVES = re.compile(
    r"\b(psum|psum_invariant|pmax|pmin|all_gather|all_gather_invariant|all_to_all|ppermute|"
    r"reduce_scatter|psum_scatter)\b"
)
_COMPILED = re.compile(rf"\b{CALL}")


def collectives(source: str, chosen: tuple[int, ...]) -> list[tuple[int, str]]:
    """The calls of a cell that need other processes than those it runs in.

    Args:
        source: the cell. Names that it makes itself are not known yet.
        chosen: the processes it runs in.

    Returns:
        (line, what) pairs: ``(2, "total(x) contains psum")``.
    """
    tree = ast.parse(statements.python(source))
    made = _made(tree)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and not made & _names(n)]
    spans = partial(_needs_others, chosen)
    found = ((c.lineno, ast.unparse(c), _why(c, get_ipython().user_ns, spans)) for c in calls)
    return [(line, f"{text} {why}") for line, text, why in found if why]


Spans = Callable[[Any], bool]


def _made(tree: ast.AST) -> set[str]:
    """Names that the cell binds itself: what they stand for now says nothing."""
    stored = {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    defined = {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    return stored | defined


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _why(call: ast.Call, namespace: Mapping[str, Any], spans: Spans) -> str:
    """Why a call needs other processes; empty if it does not, or if that cannot be told."""
    try:
        function = look_up(ast.unparse(call.func), namespace)
        arguments = [look_up(ast.unparse(argument), namespace) for argument in call.args]
    except Exception:  # made by the cell itself, or to be computed first
        return _method(call, namespace, spans)
    ours = getattr(function, "__module__", "") == "labkit.training"  # check_replicas
    if ours or any(function is getattr(multihost_utils, name, None) for name in _EVERYBODY):
        return "is a collective of all processes"
    if call.keywords or not any(map(spans, jax.tree.leaves(arguments))):
        return _method(call, namespace, spans)
    return _traced(function, arguments)


def _method(call: ast.Call, namespace: Mapping[str, Any], spans: Spans) -> str:
    """``x.sum()`` where x spans processes."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _REDUCTIONS:
        return ""
    try:
        owner = look_up(ast.unparse(call.func.value), namespace)
    except Exception:
        return ""
    return "reduces an array that spans processes" if spans(owner) else ""


def _traced(function: Any, arguments: list[Any]) -> str:
    if not hasattr(function, "lower"):  # not jitted: tracing it could do anything
        return ""
    try:
        names = _PRIMITIVES.findall(str(jax.make_jaxpr(function)(*arguments)))
        if not names:
            compiled = function.lower(*arguments).compile().as_text()
            names = [name for name, _ in _COMPILED.findall(compiled)]
    except Exception:  # the call will say itself what is wrong with it
        return ""
    return f"contains {names[0].removesuffix('_invariant')}" if names else ""


def _needs_others(chosen: tuple[int, ...], value: Any) -> bool:
    """Whether an array lies on devices of processes that are not chosen."""
    if not isinstance(value, jax.Array) or value.is_fully_addressable:
        return False
    return not {device.process_index for device in value.sharding.device_set} <= set(chosen)
