"""Copies made equal again: other bytes for some devices, everything else as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from labkit.engine.arrays.device_labels import host_label, label
from labkit.engine.arrays.shard_content import is_key
from labkit.engine.replicas.digest import Tree


def put(tree: Tree, path: str, labels: tuple[str, ...], data: np.ndarray) -> None:
    """Put a copy on each of those devices that this process has.

    Args:
        tree: is not changed; it holds what was put until :func:`mended`.
        path: of the leaf.
        labels: devices, or a process's own memory.
        data: what they are to hold; PRNG keys as their key data.
    """
    leaf = tree.leaves.get(path)
    for name in labels:
        if (path, name) in tree.held:
            tree.put[path, name] = _like(leaf, tree.held[path, name], data)


def mended(tree: Tree) -> Any:
    """The pytree, with new arrays where something was put, of the same sharding as before."""
    paths = {path for path, _ in tree.put}
    leaves = [_leaf(tree, p, x) if p in paths else x for p, x in tree.leaves.items()]
    return jax.tree_util.tree_unflatten(tree.structure, leaves)


def _like(leaf: Any, old: Any, data: np.ndarray) -> Any:
    """The data as this copy was held: on its device, as keys of its kind, as a Python number."""
    if isinstance(leaf, jax.Array):
        made = jax.device_put(data, old.sharding, may_alias=False)
        return (
            jax.random.wrap_key_data(made, impl=jax.random.key_impl(old)) if is_key(old) else made
        )
    if isinstance(leaf, np.ndarray):
        return np.array(data)
    return type(leaf)(data.item())


def _leaf(tree: Tree, path: str, leaf: Any) -> Any:
    mine: Mapping[str, Any] = {name: x for (at, name), x in tree.put.items() if at == path}
    if not isinstance(leaf, jax.Array):
        return mine[host_label()]
    shards = [(label(shard.device), shard.data) for shard in leaf.addressable_shards]
    arrays = [mine.get(name, data) for name, data in shards]
    return jax.make_array_from_single_device_arrays(leaf.shape, leaf.sharding, arrays)
