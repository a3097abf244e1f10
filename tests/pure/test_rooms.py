"""The rooms of the design: who may import whom, and how big anything may grow."""

import inspect
import statistics
import subprocess
import sys
from collections import Counter

import pytest

import labkit
from tests.source import PACKAGE, code_lines, functions, imports, modules, name_of

# A room is a package or a module directly under labkit, and uses only rooms of lines above its own.
FLOW = """
    facts rows
    text
    errors
    cluster
    engine analysis draw
    widgets
    explorers
    page
    display
    training explore lab
    lessons
    cli
"""
# What makes facts written by hand enough to try them with: these use even less.
NARROW = {
    "text": {"facts"},
    "cluster": {"facts", "text", "errors"},
    "engine": {"facts", "cluster"},
    "analysis": {"facts", "text", "errors"},
    "draw": {"facts", "text"},
    "widgets": {"facts", "text", "draw"},
    "explorers": {"facts", "text", "errors", "draw", "widgets"},
    "lessons": {"facts", "text", "errors"},
}
# The same one level lower, where a room has more than a handful of parts.
PARTS = {
    "draw": """
        layout picture
        svg items
        paint
        frame
        arrays timeline roll_call timing loading outputs lab
        recording replicas
    """,
    "engine": """
        arrays cpu_activity abort streams timing
        timeline recording
        watchdog join
        cells
        replicas reset
        serve
    """,
}
# `import labkit` gives names that are found at first use, so these may ask it for the lab.
FRONT_DOOR = {"lessons", "cli"}

LAYERS = [line.split() for line in FLOW.strip().splitlines()]
LOOSE, FOLDER = 6, 20  # the most modules directly under labkit/, and in any folder of it
LONGEST_MODULE = 250
OUTSIDE_ENGINE = [name_of(path) for path in modules() if "engine" not in path.parts]


def room(module: str) -> str:
    return module.partition(".")[2].split(".")[0]


def part(path) -> str:
    """``arrays`` for labkit/draw/arrays/plan.py; empty in a room without parts, and for faces."""
    names = name_of(path).split(".")[1:]
    return names[1] if len(names) > 1 and names[0] in PARTS else ""


def may_use(own: str) -> set[str]:
    if own == "":
        return {name for layer in LAYERS for name in layer}
    at = next(i for i, layer in enumerate(LAYERS) if own in layer)
    above = {name for layer in LAYERS[:at] for name in layer}
    return NARROW.get(own, above) | ({""} if own in FRONT_DOOR else set())


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_room_uses_only_rooms_above_it(path):
    own = room(name_of(path))
    names = imports(path, types=False)
    used = {room(name) for name in names if name.split(".")[0] == "labkit"} - {own}
    assert used <= may_use(own), f"labkit.{own} may not use {sorted(used - may_use(own))}"


@pytest.mark.parametrize("path", [p for p in modules() if part(p)], ids=name_of)
def test_a_part_uses_only_parts_above_it(path):
    own, within = part(path), name_of(path).split(".")[1]
    layers = [line.split() for line in PARTS[within].strip().splitlines()]
    at = next(i for i, layer in enumerate(layers) if own in layer)
    below = {name for layer in layers[at:] for name in layer} - {own}
    prefix = f"labkit.{within}."
    names = imports(path, types=False)
    used = {name.removeprefix(prefix).split(".")[0] for name in names if name.startswith(prefix)}
    assert not used & below, f"labkit.{within}.{own} may not use {sorted(used & below)}"


@pytest.mark.parametrize("within", PARTS)
def test_the_parts_of_a_room_are_named_once(within):
    found = {part(path) for path in modules() if name_of(path).startswith(f"labkit.{within}.")}
    assert sorted(PARTS[within].split()) == sorted(found)


def test_all_pictures_have_the_one_frame():
    makers = {name_of(path) for path in modules() if "Picture(" in path.read_text("utf-8")}
    assert makers == {"labkit.draw.frame", "labkit.draw.outputs"}  # which is a table


def test_the_listing_stays_short():
    folders = Counter(path.parent for path in modules())
    assert folders.pop(PACKAGE) <= LOOSE
    assert max(folders.values()) <= FOLDER


def test_the_flow_names_every_room_once():
    named = [name for layer in LAYERS for name in layer]
    assert sorted(named) == sorted({room(name_of(path)) for path in modules()} - {""})


@pytest.mark.parametrize("name", OUTSIDE_ENGINE)
def test_only_the_engine_imports_jax(name):
    path = next(path for path in modules() if name_of(path) == name)
    assert {module.split(".")[0] for module in imports(path)}.isdisjoint({"jax", "jaxlib"})


def test_nothing_uses_what_jax_keeps_private():
    for path in modules():
        assert ".".join(["jax", "_src"]) not in path.read_text(), path.name


def test_importing_any_room_but_the_engine_leaves_jax_alone():
    lines = [f"import {name}" for name in OUTSIDE_ENGINE if not name.endswith("__main__")]
    lines += ["import sys", "assert not {'jax', 'jaxlib'} & set(sys.modules)"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", labkit.__all__)
def test_a_public_name_says_what_it_is(name):
    value = getattr(labkit, name)
    assert inspect.getdoc(value)
    for where, function in public_functions(name, value):
        assert inspect.getdoc(function), f"{where} has no docstring"
        hints = inspect.signature(function)
        assert hints.return_annotation is not inspect.Signature.empty, f"{where}: returns what?"


def public_functions(name, value):
    if inspect.isfunction(value):
        yield name, value
    for attribute, member in vars(value).items() if inspect.isclass(value) else ():
        member = member.fget if isinstance(member, property) else member
        if inspect.isfunction(member) and not attribute.startswith("_"):
            yield f"{name}.{attribute}", member


def test_functions_stay_small():
    lengths = {name: lines for path in modules() for name, lines in functions(path)}
    assert statistics.median(lengths.values()) <= 10


def test_modules_stay_small():
    lengths = {name_of(path): code_lines(path) for path in modules()}
    for name, lines in sorted(lengths.items(), key=lambda item: item[1]):
        print(f"{lines:4}  {name}")
    assert max(lengths.values()) <= LONGEST_MODULE, "is there a second idea in it?"
