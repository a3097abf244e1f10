"""The replicas explorer: copies that should be equal, made from numbers that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets

from labkit import draw
from labkit.errors import LabError
from labkit.explorers.explorer import Explorer
from labkit.explorers.replica_copies import array_of, claim, cuts_of, differing, marks, own_copies
from labkit.explorers.scenes import Ask, Found, Play, agreeing, by_process, distinct, scene
from labkit.facts import Array, Process, Scene
from labkit.text.letters import Cut
from labkit.text.words import count, spec_text
from labkit.widgets.stage import WIDTH

if TYPE_CHECKING:
    from labkit.lab.lab import Lab

NAMES = ("local_a", "local_b", "a", "b", "result")

PROGRAM = """\
mesh = Mesh(np.array(jax.devices()).reshape{mesh},
            ("data", "model"))
fill = {fills}[jax.process_index()]

a_sharding = NamedSharding(mesh, P("data", None))
b_sharding = NamedSharding(mesh, P(None, "model"))
local_a = np.full(a_sharding.shard_shape({shape}), fill, "int32")
local_b = np.full(b_sharding.shard_shape({shape}), fill, "int32")

def assemble(sharding, piece):
    buffers = [jax.device_put(piece, device)
               for device in jax.local_devices()]
    return jax.make_array_from_single_device_arrays(
        {shape}, sharding, buffers)

a = assemble(a_sharding, local_a)
b = assemble(b_sharding, local_b)

@jax.jit
def process_array(a, b):
    return (a + 1) * (b + 2)

result = process_array(a, b)"""


def replicas(lab: Lab) -> Explorer:
    """An explorer of replicas that differ, on a lab's own processes."""
    built = lab.processes
    narrow = ipywidgets.Layout(width="130px")
    fills = {
        f"fill {p.index}": ipywidgets.BoundedIntText(
            p.index, min=-99, max=99, description=f"p{p.index} fills", layout=narrow
        )
        for p in built
    }
    meshes = [(f"{data} × {model}", (data, model)) for data, model in shapes(built)]
    shape = ipywidgets.Dropdown(
        options=meshes, description="data × model", layout=ipywidgets.Layout(width="200px")
    )

    def make(ask: Ask, choice: Mapping[str, Any]) -> Play:
        _require_same(built, lab.processes)
        source = program(choice["mesh"], [choice[name] for name in fills])
        found = ask(source, NAMES)
        return Play({"": scenes(found, lab.processes, source)}, found.why)

    return Explorer(lab, {"mesh": shape, **fills}, make, "replicas explorer")


def shapes(processes: Sequence[Process]) -> list[tuple[int, int]]:
    """Every data × model mesh that takes all devices."""
    devices = sum(len(process.devices) for process in processes)
    return [(data, devices // data) for data in range(1, devices + 1) if devices % data == 0]


def _require_same(built: Sequence[Process], now: Sequence[Process]) -> None:
    if [len(process.devices) for process in built] != [len(process.devices) for process in now]:
        raise LabError(
            "The lab has other processes or devices than when this explorer was made: "
            "call labkit.explore.replicas(lab) for one that fits."
        )


def program(mesh: tuple[int, int], fills: Sequence[int]) -> str:
    """The program for some controls; the arrays are 4 × 8, or the next size that can be cut.

    Args:
        mesh: sizes of the axes data and model.
        fills: what each process fills its arrays with.
    """
    shape = tuple(-(-size // parts) * parts for size, parts in zip((4, 8), mesh, strict=True))
    return PROGRAM.format(mesh=mesh, fills=list(fills), shape=shape)


def scenes(found: Found, processes: Sequence[Process], source: str) -> list[Scene]:
    """From each process's own arrays to which copies the result was made of.

    Args:
        found: the facts of ``NAMES``.
        processes: the lab's processes.
        source: the program that made them.
    """

    def picture(*names: str) -> draw.Picture:
        return draw.variables([found[name] for name in names], processes, width=WIDTH)

    said = draw.variables(
        [claim(found[name]) for name in ("a", "b")], processes, values=False, width=WIDTH
    )
    end = picture(*(differing(found) or ("a", "b")), "result")
    return [
        scene("Local arrays", picture("local_a", "local_b"), _local(found), source, "local_a ="),
        scene("What they say", said, _claims(found), source, "return jax"),
        scene("What devices hold", picture("a", "b"), _holds(found), source, "a ="),
        scene("Result", picture("result"), _result(found), source, "result ="),
        scene("Where it went", end, _origins(found), source, "return (a"),
    ]


def _local(found: Found) -> str:
    filled = by_process(found["local_a"], distinct)
    return f"Each process fills arrays of its own: {filled}."


def _claims(found: Found) -> str:
    return " ".join(
        _claim(name, array_of(found, name), cuts_of(found, name)) for name in ("a", "b")
    )


def _claim(name: str, array: Array, group: Sequence[Cut]) -> str:
    copies = len(array.shards) // len(group)
    spec = spec_text(array.spec)
    if array.replicated and copies > 1:
        return f"{name} with {spec} says is_fully_replicated: {copies} copies of all of it."
    pieces = count(len(group), "slice")
    if copies == 1:
        return f"{name} with {spec} has {pieces}, one for each device: nothing to copy."
    return f"{name} with {spec} has {pieces}, and says that {copies} devices hold copies of each."


def _holds(found: Found) -> str:
    names = differing(found)
    if not names:
        return "All copies are equal: here the arrays keep what they say."
    which = " and ".join(names)
    filled = by_process(found[names[0]], distinct)
    return f"The copies of {which} are not equal: {filled}. Nobody compared them, no error came."


def _result(found: Found) -> str:
    return f"(a + 1) * (b + 2) ran on every device: {by_process(found['result'], distinct)}."


def _origins(found: Found) -> str:
    names = differing(found)
    if not names:
        return "All copies agree, so it does not matter which one a number was made from."
    if not own_copies(found):
        return "The numbers do not follow from each device's own copies: they were moved before."
    used = "; ".join(f"of {name}, {agreeing(marks(found, name))}" for name in names)
    gave = by_process(found["result"], distinct)
    return f"Each device used the copy it had: {used}. That gave {gave}."
