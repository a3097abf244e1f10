"""Facts as the processes would tell them, made with numpy: psum and replica programs."""

import re
import threading
from itertools import product
from types import SimpleNamespace

import numpy as np

from labkit.facts import Array, Device, Mesh, Process, Shard, Variable, View
from labkit.facts import device_label as label
from labkit.facts import host_label as host


def processes(number: int = 2, devices: int = 4) -> tuple[Process, ...]:
    return tuple(
        Process(p, number, tuple(Device(p, d) for d in range(devices)), number * devices)
        for p in range(number)
    )


def labels(lab: tuple[Process, ...]) -> list[str]:
    return [device.label for process in lab for device in process.devices]


def local(name: str, values: list[np.ndarray]) -> Variable:
    """A numpy array of its own in each process."""
    return Variable(name, tuple(View((p,), whole(host(p), v)) for p, v in enumerate(values)))


def whole(device: str, value: np.ndarray) -> Array:
    index = tuple((0, size) for size in value.shape)
    shard = Shard(device, index, value.shape, value)
    return Array(value.shape, str(value.dtype), (shard,), where="host")


def spread(value: np.ndarray, mesh: Mesh, spec: tuple, copies: dict | None = None) -> Array:
    """An array over a mesh; ``copies`` gives some devices' shards other contents."""
    shards = []
    for place, device in zip(product(*map(range, mesh.shape)), mesh.devices, strict=True):
        at = dict(zip(mesh.axis_names, place, strict=True))
        index = tuple(
            _cut(size, axis, at, mesh) for size, axis in zip(value.shape, spec, strict=True)
        )
        part = value[tuple(slice(*span) for span in index)]
        part = (copies or {}).get(device, part)
        shards.append(Shard(device, index, part.shape, part))
    spans = len({shard.device.partition("·")[0] for shard in shards}) > 1
    return Array(value.shape, str(value.dtype), tuple(shards), spec, mesh, spans, not any(spec))


def _cut(size, axis, at, mesh):
    if axis is None:
        return (0, size)
    step = size // mesh.shape[mesh.axis_names.index(axis)]
    return (at[axis] * step, (at[axis] + 1) * step)


def psum_facts(lab, mesh: str = "local mesh", op: str = "psum", x=None) -> dict[str, Variable]:
    """What the psum explorer's program makes."""
    per = len(lab[0].devices)
    x = x or [2 * per * p.index + np.arange(2 * per, dtype="int32") for p in lab]
    groups = [(p.index,) for p in lab] if mesh == "local mesh" else [tuple(p.index for p in lab)]
    reduce = {"psum": np.sum, "pmean": np.mean, "pmax": np.max}[op]
    views = {name: [] for name in ("mesh", "x_s", "y")}
    back = [None] * len(lab)
    for group in groups:
        devices = tuple(label(p, d) for p in group for d in range(per))
        own = Mesh(("i",), (len(devices),), devices)
        x_s = np.concatenate([x[p] for p in group])
        y = reduce(x_s.reshape(-1, 2), axis=0)
        for p in group:
            back[p] = y
        for name, value in (
            ("mesh", own),
            ("x_s", spread(x_s, own, ("i",))),
            ("y", spread(y, own, (None,))),
        ):
            views[name].append(View(group, value))
    found = {name: Variable(name, tuple(group)) for name, group in views.items()}
    return {**found, "x": local("x", x), "back": local("back", back)}


def replica_facts(
    lab, mesh: tuple[int, int], fills: list[int], shape=(4, 8)
) -> dict[str, Variable]:
    """What the replicas explorer's program makes; a device computes with its own copies."""
    names = labels(lab)
    of = Mesh(("data", "model"), mesh, tuple(names))
    everyone = tuple(p.index for p in lab)
    rows, columns = shape[0] // mesh[0], shape[1] // mesh[1]
    fill = {name: fills[int(name[1 : name.index("·")])] for name in names}
    sizes = {"a": (rows, shape[1]), "b": (shape[0], columns), "result": (rows, columns)}
    specs = {"a": ("data", None), "b": (None, "model"), "result": ("data", "model")}
    found = {}
    for name, size in sizes.items():
        value = {d: (f + 1) * (f + 2) if name == "result" else f for d, f in fill.items()}
        copies = {d: np.full(size, v, "int32") for d, v in value.items()}
        array = spread(np.zeros(shape, "int32"), of, specs[name], copies)
        array = _says_replicated(array)
        found[name] = Variable(name, (View(everyone, array),))
    for name in ("a", "b"):
        found[f"local_{name}"] = local(f"local_{name}", [np.full(sizes[name], f) for f in fills])
    return found


def _says_replicated(array: Array) -> Array:
    """``is_fully_replicated`` as jax has it: every shard is the whole array."""
    whole = all(shard.shape == array.shape for shard in array.shards)
    fields = {**array.__dict__, "replicated": whole}
    return Array(**fields)


class FakeLab:
    """A lab whose processes are numpy.

    Attributes:
        programs: the programs it was given.
        threads: the threads that gave them.
        gate: closed (``clear()``) it keeps a run waiting.
        error: raised by the next runs, if set.
        untrusted: why the next results are not to be trusted.
    """

    def __init__(self, number: int = 2, devices: int = 4) -> None:
        self.processes, self.state, self.why = processes(number, devices), "ready", ""
        self.programs, self.threads, self.error, self.untrusted = [], [], None, ""
        self.gate, self.entered, self.interrupted = threading.Event(), threading.Event(), 0
        self.gate.set()

    def run(self, program: str, namespace: str):
        self.programs.append(program)
        self.threads.append(threading.current_thread())
        self.entered.set()
        assert self.gate.wait(10)
        if self.error:
            raise self.error
        return SimpleNamespace(trusted=not self.untrusted, why=self.untrusted)

    def facts(self, name: str, namespace: str, untrusted: bool):
        assert untrusted == bool(self.untrusted)
        return self._made(self.programs[-1])[name]

    def _made(self, program: str):
        if op := re.search(r"jax\.lax\.(\w+)", program):
            kind = "local mesh" if "jax.local_devices()" in program else "global mesh"
            return psum_facts(self.processes, kind, op[1])
        fills = [int(n) for n in re.search(r"fill = \[(.*)\]\[", program)[1].split(",")]
        mesh = [int(n) for n in re.search(r"reshape\((.*)\),", program)[1].split(",")]
        return replica_facts(self.processes, tuple(mesh), fills)

    def interrupt(self) -> None:
        self.interrupted += 1
