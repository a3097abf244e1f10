"""The facts that the tests of pictures draw, made with numpy, one of each kind."""

from dataclasses import replace

import numpy as np

from labkit.facts import Array, Mesh, Shard, Thing, Variable, View
from tests.pure.made import labels, local, processes, spread

TWO, TWO_ONE, EIGHT = processes(2, 4), processes(2, 1), processes(8, 8)


def local_mesh(process: int, devices: int = 4) -> Mesh:
    return Mesh(("i",), (devices,), tuple(f"p{process}·d{d}" for d in range(devices)))


def mesh(names: tuple, shape: tuple, lab=TWO) -> Mesh:
    return Mesh(names, shape, tuple(labels(lab)))


def over_all(name: str, value: np.ndarray, of: Mesh, spec: tuple, copies=None) -> Variable:
    """One array over all processes of a mesh."""
    spec = spec + (None,) * (value.ndim - len(spec))
    array = spread(value, of, spec, copies)
    whole = all(shard.shape == value.shape for shard in array.shards)
    array = replace(array, replicated=whole)  # as jax has it: every shard is the whole array
    owners = sorted({int(label[1]) for label in of.devices})
    return Variable(name, (View(tuple(owners), array),))


def own(name: str, values: list[np.ndarray], spec: tuple) -> Variable:
    """An array of its own in each process, on the process's local mesh."""
    views = [View((p,), spread(v, local_mesh(p), spec)) for p, v in enumerate(values)]
    return Variable(name, tuple(views))


def numbers(count: int, dtype: str = "int32") -> np.ndarray:
    return np.arange(count, dtype=dtype)


def keys() -> Variable:
    views = []
    for p in range(2):
        shards = [
            Shard(f"p{p}·d{d}", ((d, d + 1),), (1,), np.array([[p, d]], "uint32")) for d in range(4)
        ]
        views.append(View((p,), Array((4,), "key<fry>", tuple(shards), ("i",), local_mesh(p))))
    return Variable("key", tuple(views))


def preview(size: int, digest: str = "") -> Variable:
    """Eight copies of an array of which only the beginning was fetched."""
    shards = [
        Shard(d, ((0, size),), (size,), numbers(8, "float32"), False, digest) for d in labels(TWO)
    ]
    array = Array((size,), "float32", tuple(shards), (), GLOBAL, True, True)
    return Variable("big", (View((0, 1), array),))


GLOBAL = mesh(("i",), (8,))
GRID = mesh(("data", "model"), (2, 4))
PAIR = mesh(("data", "model"), (1, 2), TWO_ONE)

X = own("x", [numbers(8), 8 + numbers(8)], ("i",))
Y = own("y", [np.array([12, 16], "int32"), np.array([44, 48], "int32")], (None,))
X_ALL = over_all("x", numbers(16), GLOBAL, ("i",))
Y_ALL = over_all("y", np.array([56, 64], "int32"), GLOBAL, (None,))
A = over_all(
    "a", np.zeros((4, 8), "int32"), PAIR, ("data", None), {"p1·d0": np.ones((4, 8), "int32")}
)
W = over_all("w", numbers(16, "float32").reshape(4, 4) / 4, GRID, ("data", None))
T = over_all("t", numbers(192).reshape(2, 4, 4, 6), GRID, ("data", None, "model", None))
MANY = over_all("p", numbers(64), mesh(("i",), (64,), EIGHT), ("i",))
LOSS = over_all("loss", np.array(0.5, "float32"), GLOBAL, ())
HOST = local("batch", [numbers(4), 4 + numbers(4)])
MISSING = Variable("x", X.views[:1], missing=(1,))
ALONE = Variable(
    "z", (View((1,), Array((2,), "float32", (Shard("p1·d2", ((0, 2),), (2,), np.ones(2)),))),)
)
DELETED = Variable("x", (View((0,), Array((8,), "float32", spec=("i",), deleted=True)),), (1,))
STEP = Variable("step", (View((0,), Thing("int", "3")), View((1,), Thing("int", "4"))))
MESHES = Variable("mesh", tuple(View((p,), local_mesh(p)) for p in range(2)))
ONE_MESH = Variable("mesh", (View((0, 1), GRID),))
REVERSED = over_all("r", numbers(8), Mesh(("i",), (8,), tuple(reversed(labels(TWO)))), ("i",))
HALF = over_all("h", numbers(4), Mesh(("i",), (4,), ("p0·d0", "p0·d1", "p1·d0", "p1·d1")), ("i",))
TILED = over_all("p", numbers(256).reshape(16, 16), mesh(("x", "y"), (8, 8), EIGHT), ("x", "y"))

ALL = {
    "own arrays": (X, TWO),
    "own replicas": (Y, TWO),
    "one array": (X_ALL, TWO),
    "one array, replicated": (Y_ALL, TWO),
    "copies that differ": (A, TWO_ONE),
    "two axes": (W, TWO),
    "four dimensions": (T, TWO),
    "64 devices": (MANY, EIGHT),
    "64 devices, two axes": (TILED, EIGHT),
    "scalar": (LOSS, TWO),
    "host memory": (HOST, TWO),
    "missing": (MISSING, TWO),
    "one process only": (ALONE, TWO),
    "deleted": (DELETED, TWO),
    "things": (STEP, TWO),
    "local meshes": (MESHES, TWO),
    "one mesh": (ONE_MESH, TWO),
    "reversed mesh": (REVERSED, TWO),
    "half the devices": (HALF, TWO),
    "keys": (keys(), TWO),
    "preview": (preview(4096), TWO),
}
