"""For training programs: the check of replicas with no lab, no notebook and no ipyparallel."""

from __future__ import annotations

import time
from typing import Any

from labkit import facts
from labkit.analysis import arrays, replicas
from labkit.analysis.replica_differences import with_numbers
from labkit.display import drawn
from labkit.errors import LabError, ReplicasDiffer

MOST = 64
"""Blocks of 256 KiB that are exchanged to say how copies differ: 16 MiB of each group."""


def check_replicas(
    tree: Any, on_difference: str = "raise", own: bool = True
) -> drawn.DrawnReplicaReport:
    """Whether devices that should hold the same bytes do, in any program of several processes.

    It is a collective: all processes must call it, in the same order with their other
    collectives. Each hashes what its own devices hold, where it lies, and the hashes are
    exchanged; elements travel only where copies differ. Equal NaNs are equal; JAX's belief about
    the copies plays no part. Every process gets the same report::

        for step in range(steps):
            state = train(state, batch)
            if step % 100 == 0:
                labkit.check_replicas(state)

    The cost, on CPU devices: one pass over the memory (10 to 30 GB/s a process), then two
    exchanges of about 40 bytes for each shard of each leaf, a few milliseconds once they have been
    compiled. On other devices every shard is also fetched to the host, one at a time. It waits
    for the arrays to be computed, so it belongs where you wait anyhow.

    Args:
        tree: any pytree; arrays, PRNG keys, numpy arrays and numbers are compared.
        on_difference: ``"raise"``, or ``"return"`` the report all the same.
        own: whether arrays that lie in one process alone are compared with those of the same
            path in the other processes: parameters should be equal there, a batch need not.

    Returns:
        ``.agree``, and ``.differing``: leaves with ``.path``, ``.groups``, ``.first_index``,
        ``.count`` and ``.max_abs_diff``. Its text says all of it.

    Raises:
        ReplicasDiffer: something differs, with the report; in every process.
        LabError: ``on_difference`` is neither, or a process could not read its tree.
    """
    if on_difference not in ("raise", "return"):
        given = f"on_difference={on_difference!r} was given"
        raise LabError(f"{given}; expected 'raise' or 'return'.")
    found = _report(tree, own)
    if on_difference == "raise" and not found.agree:
        raise ReplicasDiffer(repr(found), found)
    return found


def _report(tree: Any, own: bool) -> drawn.DrawnReplicaReport:
    # The engine imports JAX, and whoever imports labkit need not have it started.
    from labkit.engine.arrays import queries
    from labkit.engine.replicas.all_gather import gather
    from labkit.engine.replicas.digest import Tree

    began = time.perf_counter()
    held, trouble = _tree(Tree, tree)
    records = held.records()
    mine = (queries.process(), records, trouble, time.perf_counter() - began)
    told = gather(mine)
    _require_read({process: said[2] for process, said in told.items()})
    records = {process: said[1] for process, said in told.items()}
    leaves = replicas.leaves(records, own)
    leaves = with_numbers(leaves, lambda what, args: gather(getattr(held, what)(args)), MOST)
    seconds = max(said[3] for said in told.values())
    found = facts.ReplicaReport("tree", leaves, seconds, replicas.nbytes(records))
    return drawn.report(found, [arrays.process(said[0]) for said in told.values()])


def _tree(kind: Any, tree: Any) -> tuple[Any, str]:
    """The tree and no trouble; or an empty one and why: the others wait for this process."""
    try:
        return kind(tree), ""
    except Exception as error:
        return kind(()), f"{type(error).__name__}: {error}"


def _require_read(troubles: dict[int, str]) -> None:
    said = [f"process {process}: {trouble}" for process, trouble in troubles.items() if trouble]
    if said:
        raise LabError(f"The tree could not be read in {'; '.join(said)}")
