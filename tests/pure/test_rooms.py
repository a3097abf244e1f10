"""The rooms of the design: who may import whom, and how big anything may grow."""

import inspect
import statistics
import subprocess
import sys

import pytest

import labkit
from tests.source import code_lines, functions, imports, modules, name_of

# Room -> the rooms it may use; "" stands for labkit's own public names. A room is a package or a
# module directly under labkit. Nothing here may use what comes after it, so facts made by hand
# are enough to try draw, widgets and lessons.
MAY_USE = {
    "facts": set(),
    "errors": {"facts"},
    "rollcall": {"facts"},
    "flights": {"facts"},
    # what runs in or beside the JAX processes
    "ports": set(),
    "engine": {"ports"},
    "remote": set(),
    "leash": set(),
    "hub": set(),
    "forkserver": {"leash"},
    "keeper": {"errors"},
    "cluster": {"errors", "keeper", "ports"},
    # from what they tell to pictures
    "merge": {"facts"},
    "draw": {"facts"},
    "results": {"draw", "facts", "merge"},
    "widgets": {"draw", "facts"},
    "explore": {"widgets"},
    # the lab itself
    "checks": {"errors"},
    "limits": {"errors"},
    "live": set(),
    "places": {"facts", "results", "rollcall"},
    "watch": {"errors", "facts", "places"},
    "condition": {"errors", "watch"},
    "desk": {
        *("cluster", "condition", "errors", "facts"),
        *("flights", "places", "remote", "watch"),
    },
    "cells": {*("condition", "desk", "errors", "facts"), *("flights", "results")},
    "lab": {
        *("again", "cells", "checks", "cluster", "condition", "desk", "draw"),
        *("errors", "facts", "limits", "live", "merge", "results"),
    },
    "begin": {"checks", "errors", "keeper", "lab", "limits"},
    "magic": {"begin", "cells", "errors", "facts", "live", "results"},
    "lessons": {"", "errors", "facts"},
    "": {"errors", "explore", "lessons", "live", "magic"},
    # the console command
    "experiments": {"facts"},
    "workbook": {"errors"},
    "doctor": {"", "errors", "experiments", "limits"},
    "cli": {"", "doctor", "errors", "workbook"},
}
LONGEST_MODULE = 250
OUTSIDE_ENGINE = [name_of(path) for path in modules() if "engine" not in path.parts]


def room(module: str) -> str:
    return module.partition(".")[2].split(".")[0]


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_room_uses_only_rooms_before_it(path):
    own = room(name_of(path))
    names = imports(path, types=False)
    used = {room(name) for name in names if name.split(".")[0] == "labkit"} - {own}
    assert used <= MAY_USE[own], f"labkit.{own} may not use {sorted(used - MAY_USE[own])}"


def test_the_table_has_every_room_and_no_other():
    assert {room(name_of(path)) for path in modules()} == set(MAY_USE)


def test_no_room_is_in_the_table_twice_removed_from_itself():
    for start in set(MAY_USE) - {""}:
        reached, waiting = set(), set(MAY_USE[start]) - {""}
        while waiting:
            step = waiting.pop()
            reached.add(step)
            waiting |= MAY_USE[step] - reached - {""}
        assert start not in reached, f"{start} uses itself by a detour"


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
