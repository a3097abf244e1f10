"""Who talks to whom in a collective, and how many bytes leave a device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from labkit.engine.arrays.device_labels import label
from labkit.engine.recording.tape import Where

NAMES = {
    "psum_invariant": "psum",
    "all_gather_invariant": "all_gather",
    "reduce_scatter": "psum_scatter",
}
# Of what a device gives in, how much has to leave it in a group of n: by the arithmetic, whatever
# the order in which it is done. Every element but one in n of a sum is sent twice, in and out.
_MOVED = {
    "psum": lambda n: 2 * (n - 1) / n,
    "pmax": lambda n: 2 * (n - 1) / n,
    "pmin": lambda n: 2 * (n - 1) / n,
    "all_gather": lambda n: n - 1,
    "psum_scatter": lambda n: (n - 1) / n,
    "all_to_all": lambda n: (n - 1) / n,
    "ragged_all_to_all": lambda n: (n - 1) / n,
    "ppermute": lambda n: 1 if n > 1 else 0,
    "pbroadcast": lambda n: 1 if n > 1 else 0,
}


def name(eqn: Any) -> str:
    """The operation as learners write it."""
    return NAMES.get(eqn.primitive.name, eqn.primitive.name)


def collective(eqn: Any, mesh: Any, where: Where) -> dict[str, Any] | None:
    """The fields of ``facts.Collective``; None where the equation joins no devices.

    Args:
        eqn: the equation.
        mesh: of the ``shard_map`` it stands in.
        where: its line.
    """
    op, axes = name(eqn), _axes(eqn)
    if op not in _MOVED or mesh is None or not axes:
        return None
    groups = _groups(mesh, axes, eqn.params.get("axis_index_groups"))
    given = sum(_bytes(v.aval) for v in eqn.invars)
    return {
        "op": op,
        "axes": axes,
        "groups": groups,
        "sends": tuple(_sends(groups, eqn.params.get("perm", ()))),
        "bytes": given,
        "moved": round(given * _MOVED[op](len(groups[0]))),
        "source": where,
    }


def _axes(eqn: Any) -> tuple[str, ...]:
    found = eqn.params.get("axes", eqn.params.get("axis_name", ()))
    found = found if isinstance(found, (tuple, list)) else (found,)
    return tuple(axis for axis in found if isinstance(axis, str))


def _groups(
    mesh: Any, axes: Sequence[str], within: Sequence[Sequence[int]] | None
) -> tuple[tuple[str, ...], ...]:
    """Labels of those who take part together, each group in the order of the axes."""
    names = list(mesh.axis_names)
    order = [names.index(axis) for axis in axes]
    others = [i for i in range(len(names)) if i not in order]
    members = math.prod(mesh.devices.shape[i] for i in order)
    rows = np.transpose(mesh.devices, (*others, *order)).reshape(-1, members)
    parts = [list(range(members))] if within is None else within
    return tuple(tuple(label(row[i]) for i in part) for row in rows for part in parts)


def _sends(groups: Sequence[Sequence[str]], perm: Sequence[tuple[int, int]]) -> Any:
    for group in groups:
        yield from ((group[source], group[target]) for source, target in perm)


def _bytes(aval: Any) -> int:
    if jax.numpy.issubdtype(aval.dtype, jax.dtypes.extended):
        return 0
    return math.prod(aval.shape) * aval.dtype.itemsize
