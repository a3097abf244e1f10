"""What this process holds, told as plain data: the questions a client asks.

Runs in the JAX processes. Answers are dicts, tuples, strings, numbers and numpy arrays,
so that whoever reads them needs no JAX; giving them never communicates.
"""

from __future__ import annotations

import ast
import os
import platform
import socket
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

import jax
import numpy as np

from labkit.engine.arrays.describe import (
    DIGEST_BYTES,
    PREVIEW_BYTES,
    Record,
    is_array,
    is_host_array,
    tell,
    thing,
)
from labkit.engine.arrays.device_labels import host_label, label, places
from labkit.engine.arrays.encode import plain
from labkit.engine.arrays.shard_content import Budget, readable

__all__ = ["describe", "look_up", "plain", "process", "values"]

_EXPECTED = (
    "{!r} would have to be computed. Expected a name such as x, state.x or params['w']: "
    "give the result a name in a cell first."
)


def process() -> Record:
    """This process: the fields of ``facts.Process``, devices as (process, index, id, kind)."""
    me = jax.process_index()
    mine = [(d, n) for d, (owner, n) in places().items() if owner == me]
    return {
        "index": me,
        "count": jax.process_count(),
        "devices": tuple((me, n, d.id, d.platform) for d, n in mine),
        "global_devices": jax.device_count(),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "versions": _versions(),
    }


def describe(
    names: Iterable[str],
    namespace: Mapping[str, Any],
    preview_bytes: int = PREVIEW_BYTES,
    digest_bytes: int = DIGEST_BYTES,
) -> dict[str, Record | None]:
    """Name → record of what it stands for here (see ``tell``); None where it does not exist.

    Args:
        names: ``x``, ``state.x`` or ``params["w"]``.
        namespace: where they are looked up.
        preview_bytes: size of the largest block of a shard's elements that is told.
        digest_bytes: bytes hashed in this call; shards beyond have an empty digest.
    """
    budget = Budget(digest_bytes)
    return {name: _describe(name, namespace, preview_bytes, budget) for name in names}


def values(name: str, namespace: Mapping[str, Any]) -> dict[str, np.ndarray] | None:
    """Device label → all that this device holds; None where the name does not exist.

    PRNG keys come as their key data.

    Raises:
        TypeError: the name stands for something else than an array.
        RuntimeError: the array was deleted or donated.
        ValueError: the name is an expression that would have to be computed.
    """
    try:
        value = look_up(name, namespace)
    except (LookupError, AttributeError):
        return None
    if is_host_array(value):
        return {host_label(): value}
    if not is_array(value):
        raise TypeError(f"{name} is of type {type(value).__name__}. Expected the name of an array.")
    return {label(s.device): np.asarray(readable(s.data)) for s in value.addressable_shards}


def look_up(name: str, namespace: Mapping[str, Any]) -> Any:
    """The value of ``x``, ``state.x`` or ``params["w"]``.

    Nothing else is evaluated: ``x + 1``, or ``x[0]`` on a JAX array, would run a program on
    the devices and perhaps wait for the other processes.

    Raises:
        LookupError, AttributeError: it does not exist.
        ValueError: it would have to be computed.
    """
    try:
        tree = ast.parse(name.strip(), mode="eval")
    except SyntaxError:
        raise ValueError(_EXPECTED.format(name)) from None
    return _walk(tree.body, namespace)


def _walk(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name(id=name):
            return namespace[name]
        case ast.Attribute(value=holder, attr=name):
            return getattr(_walk(holder, namespace), name)
        case ast.Subscript(value=holder, slice=ast.Constant() | ast.UnaryOp() as key):
            found = _walk(holder, namespace)
            if not isinstance(found, jax.Array):
                return found[ast.literal_eval(key)]
    raise ValueError(_EXPECTED.format(ast.unparse(node)))


def _describe(
    name: str, namespace: Mapping[str, Any], preview_bytes: int, budget: Budget
) -> Record | None:
    try:
        value = look_up(name, namespace)
    except (LookupError, AttributeError):
        return None
    except Exception as error:
        return thing(error, str(error))
    return tell(value, preview_bytes, budget)


def _versions() -> tuple[tuple[str, str], ...]:
    packages = ("jax", "jaxlib", "numpy", "ipyparallel")
    return (("python", platform.python_version()), *((p, _version(p)) for p in packages))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
