"""The psum explorer: one sum over a local mesh or over a global one, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets

from labkit import draw
from labkit.explorers.explorer import Explorer
from labkit.explorers.scenes import Ask, Found, Play, by_process, listed, scene
from labkit.facts import Array, Process, Scene
from labkit.text.numbers import number
from labkit.text.words import count, process_names, spec_text
from labkit.widgets.stage import WIDTH

if TYPE_CHECKING:
    from labkit.lab.lab import Lab

NAMES = ("x", "mesh", "x_s", "y", "back")

OPS = ("psum", "pmean", "pmax")

DEVICES = {"local mesh": "jax.local_devices()", "global mesh": "jax.devices()"}

INPUTS = {
    "counting up": '{n} * jax.process_index() + np.arange({n}, dtype="int32")',
    "ones": 'np.ones({n}, dtype="int32")',
    "random": "np.random.default_rng(jax.process_index()).integers(0, 10, {n}, np.int32)",
}

PROGRAM = """\
x = {input}
mesh = Mesh({devices}, ("i",))
x_s = jax.make_array_from_process_local_data(
    NamedSharding(mesh, P("i")), x)

@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P("i"), out_specs=P())
def reduce(shard):
    return jax.lax.{op}(shard, "i")

y = reduce(x_s)
back = np.asarray(y)"""

LOCAL = "Each process makes an x of its own, in its own memory. No other process sees it."

BOTH = "side by side"

NARROW = 440  # pixels; two such pictures fit where one usually stands


def psum(lab: Lab) -> Explorer:
    """An explorer of ``psum``, ``pmean`` and ``pmax`` on a lab's own processes."""
    options = {"mesh": [*DEVICES, BOTH], "collective": OPS, "input": list(INPUTS)}
    layout = ipywidgets.Layout(width="190px")
    controls = {
        name: ipywidgets.Dropdown(options=choices, description=name, layout=layout)
        for name, choices in options.items()
    }

    def make(ask: Ask, choice: Mapping[str, Any]) -> Play:
        meshes = list(DEVICES) if choice["mesh"] == BOTH else [choice["mesh"]]
        width = NARROW if len(meshes) > 1 else WIDTH
        runs, why = {}, ""
        for mesh in meshes:
            source = program(mesh, choice["collective"], choice["input"], lab.processes)
            found = ask(source, NAMES)
            why = why or found.why
            runs[mesh] = scenes(found, lab.processes, source, choice["collective"], width)
        return Play(runs, why)

    return Explorer(lab, controls, make, "psum explorer")


def program(mesh: str, op: str, x: str, processes: Sequence[Process]) -> str:
    """The program for some controls; every process gives two numbers to each of its devices."""
    size = 2 * len(processes[0].devices)
    return PROGRAM.format(devices=DEVICES[mesh], op=op, input=INPUTS[x].format(n=size))


def scenes(
    found: Found, processes: Sequence[Process], source: str, op: str, width: float = WIDTH
) -> list[Scene]:
    """From each process's own array to what each process reads back.

    Args:
        found: the facts of ``NAMES``.
        processes: the lab's processes.
        source: the program that made them.
        op: ``"psum"``, ``"pmean"`` or ``"pmax"``.
        width: the most a picture may be wide, in pixels.
    """

    def picture(name: str, **how: Any) -> draw.Picture:
        return draw.variables(found[name], processes, width=width, **how)

    groups = [view.value.devices for view in found["mesh"].views]
    middle = picture("x_s", groups=groups, op=op)
    return [
        scene("Local arrays", picture("x"), LOCAL, source, "x ="),
        scene("Mesh", picture("mesh"), _mesh(found), source, "mesh ="),
        scene("Array", picture("x_s", values=False), _array(found), source, "x_s ="),
        scene("Shards", picture("x_s"), _shards(found), source, "NamedSharding"),
        scene(op, middle, _middle(groups, op), source, "return", illustration=True),
        scene("After", picture("y"), _after(found, op), source, "y ="),
        scene("Read back", picture("back"), _back(found), source, "back ="),
    ]


def _mesh(found: Found) -> str:
    views = found["mesh"].views
    members = count(len(views[0].value.devices), "device")
    if len(views) == 1:
        return f"Every process names the same {members}: they all mean one mesh."
    return (
        f"Each process names only its own devices: {len(views)} meshes of {members}, "
        "and none of them reaches into another process."
    )


def _array(found: Found) -> str:
    arrays = found["x_s"].arrays
    (length,) = arrays[0].shape
    if not arrays[0].spans:
        many = count(len(arrays), "array")
        return f"{many} of {length} numbers: each process has one that is complete in itself."
    return (
        f"One array of {length} numbers over the devices of all processes. Each process gives "
        "the part that its own devices hold; nothing travels between them."
    )


def _shards(found: Found) -> str:
    array = found["x_s"].arrays[0]
    pieces = len({shard.index for shard in array.shards})
    (each,) = array.shards[0].shape
    return f"{spec_text(array.spec)} cuts the array along i into {pieces}: {each} for each device."


def _middle(groups: Sequence[Sequence[str]], op: str) -> str:
    sizes = count(len(groups[0]), "device")
    who = f"one group of {sizes}" if len(groups) == 1 else f"{len(groups)} groups of {sizes}"
    return f"{op} joins the devices of a mesh: {who}. Nobody can observe the middle of it."


def _after(found: Found, op: str) -> str:
    pairs = zip(found["x_s"].views, found["y"].views, strict=True)
    made = {x.processes: _first(x.value, y.value, op) for x, y in pairs}
    if len(made) == 1:
        return f"Every device of the mesh holds the same. First number: {made.popitem()[1]}."
    each = listed((f"{process_names(who)}: {text}" for who, text in made.items()), "; ")
    return f"Every device of a mesh holds the same. First number, {each}."


def _first(shards: Array, result: Array, op: str) -> str:
    """How the first number of the result comes about: ``"0 + 2 + 4 + 6 = 12"``."""
    terms = [number(shard.value.flat[0]) for shard in shards.shards]
    sides = {
        "psum": listed(terms, " + ", 8),
        "pmean": f"({listed(terms, ' + ', 8)}) / {len(terms)}",
        "pmax": f"max({listed(terms, ', ', 8)})",
    }
    return f"{sides[op]} = {number(result.shards[0].value.flat[0])}"


def _back(found: Found) -> str:
    meshes = count(len(found["mesh"].views), "mesh", "meshes")
    results = count(len(found["y"].views), "result")
    return f"np.asarray(y) gives {by_process(found['back'])}. {meshes}, {results}."
