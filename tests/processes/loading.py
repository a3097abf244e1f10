"""The loader of lesson 06 in plain processes: what each device gets, step by step."""

import json
from typing import Any

import numpy as np

from tests.processes.harness import ROOT

LAYOUTS = {"2 × 4": ((2, 4), False), "4 × 2, turned": ((2, 4), True), "1 × 8": ((1, 8), False),
           "8 × 1": ((8, 1), False)}  # fmt: skip
BATCH, SEED, EPOCHS = 8, 7, 2


def recipe() -> str:
    """The cells that make the loader, as one program."""
    cells = json.loads((ROOT / "notebooks" / "06_load_a_batch.ipynb").read_text())["cells"]
    wanted = ("06-loader-share", "06-loader-batches", "06-loader-load")
    texts = {cell["id"]: "".join(cell["source"]) for cell in cells}
    return "\n\n".join(texts[name].removeprefix("%%spmd --setup\n") for name in wanted)


def names() -> dict[str, Any]:
    """What the loader's cells make, beside what every process of a lab starts with."""
    from labkit.engine.cells.namespaces import START_NAMES

    made = dict(START_NAMES)
    exec(compile(recipe(), "recipe", "exec"), made)
    return made


def told(path: str, short: str) -> dict[str, Any]:
    """All cases in one process.

    Args:
        path: of a file of 24 rows.
        short: of one with 22.
    """
    from labkit.rows import Rows

    made, found = names(), {}
    for name in LAYOUTS:
        sharding = sharded(made, name)
        steps = made["batches"](Rows(path), sharding, BATCH, SEED, EPOCHS)
        found[name] = [_held(made, steps, sharding) for _ in range(6)]
        found[f"{name}: ends"] = next(steps, None) is None
        found[f"{name}: again"] = again(made, Rows(path), sharding)
    sharding = sharded(made, "2 × 4")
    found["short"] = [len(mine) for mine in made["batches"](Rows(short), sharding, BATCH, SEED)]
    found["reads"] = reads(made, path, sharding)
    found["lengths differ"] = lengths_differ(made, [path, short], sharding)
    found["copies differ"] = copies_differ(made)
    return found


def sharded(made: dict[str, Any], layout: str) -> Any:
    """P("data") on all devices, laid out so."""
    shape, turned = LAYOUTS[layout]
    devices = np.array(made["jax"].devices()).reshape(shape)
    mesh = made["Mesh"](devices.T if turned else devices, ("data", "model"))
    return made["NamedSharding"](mesh, made["P"]("data"))


def again(made: dict[str, Any], data: Any, sharding: Any) -> dict[int, list[list[int]]]:
    """This process's rows after a restart at step k, for some k; the state goes through JSON."""
    found = {}
    for k in (1, 4):
        first = made["batches"](data, sharding, BATCH, SEED, EPOCHS)
        for _ in range(k):
            next(first)
        state = json.loads(json.dumps(first.get_state()))
        second = made["batches"](data, sharding, BATCH, SEED, EPOCHS)
        second.set_state(state)
        found[k] = [(mine[:, 0] // 100).tolist() for mine in second]
    return found


def _held(made: dict[str, Any], steps: Any, sharding: Any) -> list[tuple[int, list[int]]]:
    """(First place in the batch, rows of the file) of each device of this process."""
    array = made["load"](steps, sharding, BATCH)
    assert array.shape == (BATCH, 2)
    return [
        (shard.index[0].indices(BATCH)[0], (np.asarray(shard.data)[:, 0] // 100).tolist())
        for shard in array.addressable_shards
    ]


def reads(made: dict[str, Any], path: str, sharding: Any) -> list[int]:
    """The rows this process reads in an epoch."""
    from labkit.rows import Rows

    data = Rows(path)
    assert len(list(made["batches"](data, sharding, BATCH, SEED))) == 3
    return sorted(data.read.tolist())


def lengths_differ(made: dict[str, Any], paths: list[str], sharding: Any) -> str:
    """What is said where each process has a file of another length."""
    from labkit.rows import Rows

    try:
        made["batches"](Rows(paths[made["jax"].process_index()]), sharding, BATCH, SEED)
    except ValueError as error:
        return str(error)
    return ""


def copies_differ(made: dict[str, Any]) -> str:
    """The error of a loader whose processes bring different rows for one place."""
    mine = np.full((BATCH, 2), made["jax"].process_index(), "int32")
    try:
        made["load"](iter([mine]), sharded(made, "1 × 8"), BATCH)
    except Exception as error:
        return type(error).__name__
    return ""
