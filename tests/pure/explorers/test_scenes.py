"""The explorers' scenes from facts made by hand: what they show and what they say."""

import ast
from dataclasses import replace

import numpy as np
import pytest

from labkit.explorers import psum, replicas
from labkit.explorers.scenes import Found
from labkit.facts import Variable
from tests.pure.made import processes, psum_facts, replica_facts


def psum_scenes(number=2, devices=4, mesh="local mesh", op="psum", x="counting up"):
    lab = processes(number, devices)
    source = psum.program(mesh, op, x, lab)
    found = psum.scenes(Found(psum_facts(lab, mesh, op)), lab, source, op)
    return {scene.title: scene for scene in found}


def replica_scenes(number=2, devices=1, mesh=(1, 2), fills=(0, 1), found=None):
    lab = processes(number, devices)
    facts = found or replica_facts(lab, mesh, list(fills))
    scenes = replicas.scenes(Found(facts), lab, replicas.program(mesh, fills))
    return {scene.title: scene for scene in scenes}


def test_a_local_mesh_gives_each_process_a_sum_of_its_own():
    scenes = psum_scenes()
    assert "2 meshes of 4 devices" in scenes["Mesh"].caption
    assert (
        "process 0: 0 + 2 + 4 + 6 = 12; process 1: 8 + 10 + 12 + 14 = 44" in scenes["After"].caption
    )
    said = "np.asarray(y) gives [12 16] in process 0, [44 48] in process 1. 2 meshes, 2 results."
    assert scenes["Read back"].caption == said


def test_a_global_mesh_gives_every_process_the_one_sum():
    scenes = psum_scenes(mesh="global mesh")
    assert "Every process names the same 8 devices" in scenes["Mesh"].caption
    assert "0 + 2 + 4 + 6 + 8 + 10 + 12 + 14 = 56" in scenes["After"].caption
    said = "np.asarray(y) gives [56 64] in every process. 1 mesh, 1 result."
    assert scenes["Read back"].caption == said


@pytest.mark.parametrize(
    ("op", "said"),
    [("pmean", "(0 + 2 + 4 + 6) / 4 = 3.0"), ("pmax", "max(0, 2, 4, 6) = 6")],
)
def test_every_collective_says_how_its_first_number_comes_about(op, said):
    assert said in psum_scenes(op=op)["After"].caption


@pytest.mark.parametrize("mesh", psum.DEVICES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (4, 4)])
def test_psum_has_scenes_for_every_shape_of_lab(shape, mesh):
    scenes = psum_scenes(*shape, mesh=mesh)
    assert len(scenes) == 7
    assert all(scene.caption and scene.alt and scene.svg for scene in scenes.values())
    assert not any("aria-label" in scene.svg for scene in scenes.values())  # alt has the words


def test_a_long_sum_is_shortened_in_the_middle():
    assert (
        "0 + 2 + 4 + 6 + 8 + 10 + 12 + … + 30 = 240"
        in psum_scenes(4, 4, "global mesh")["After"].caption
    )


@pytest.mark.parametrize("mesh", psum.DEVICES)
def test_only_the_middle_of_the_collective_is_an_illustration(mesh):
    scenes = psum_scenes(mesh=mesh)
    assert [title for title, scene in scenes.items() if scene.illustration] == ["psum"]
    assert "Nobody can observe the middle" in scenes["psum"].caption


def test_each_psum_scene_is_at_its_line_of_the_program():
    scenes = psum_scenes()
    shown = {title: s.source.splitlines()[s.line - 1].strip() for title, s in scenes.items()}
    assert shown == {
        "Local arrays": 'x = 8 * jax.process_index() + np.arange(8, dtype="int32")',
        "Mesh": 'mesh = Mesh(jax.local_devices(), ("i",))',
        "Array": "x_s = jax.make_array_from_process_local_data(",
        "Shards": 'NamedSharding(mesh, P("i")), x)',
        "psum": 'return jax.lax.psum(shard, "i")',
        "After": "y = reduce(x_s)",
        "Read back": "back = np.asarray(y)",
    }


@pytest.mark.parametrize("x", psum.INPUTS)
def test_the_program_is_python_with_two_numbers_a_device(x):
    source = psum.program("global mesh", "pmax", x, processes(2, 3))
    ast.parse(source)
    assert "6" in source.splitlines()[0]


def test_an_array_says_it_is_replicated_and_its_devices_hold_other_things():
    scenes = replica_scenes()
    said = scenes["What they say"]
    assert "a with P('data', None) says is_fully_replicated: 2 copies" in said.caption
    assert "differ" not in said.alt  # only what it claims
    held = scenes["What devices hold"]
    assert held.caption.startswith("The copies of a are not equal: 0 in process 0, 1 in process 1.")
    assert "A′" in held.alt
    assert "2 in process 0, 6 in process 1" in scenes["Result"].caption
    assert "of a, A in process 0, A′ in process 1" in scenes["Where it went"].caption


def test_equal_fills_are_said_to_agree():
    scenes = replica_scenes(fills=(3, 3))
    assert scenes["What devices hold"].caption.startswith("All copies are equal")
    assert "it does not matter which one" in scenes["Where it went"].caption
    assert "20 in every process" in scenes["Result"].caption
    assert "′" not in "".join(scene.alt for scene in scenes.values())


def test_copies_that_agree_within_a_process_differ_between_processes():
    scenes = replica_scenes(2, 4, (2, 4))
    assert (
        "a with P('data', None) has 2 slices, and says that 4 devices"
        in scenes["What they say"].caption
    )
    assert "The copies of b are not equal" in scenes["What devices hold"].caption
    assert "of b, A B C D in process 0, A′ B′ C′ D′ in process 1" in scenes["Where it went"].caption


def test_numbers_that_come_from_elsewhere_are_not_laid_to_the_devices_own_copies():
    facts = replica_facts(processes(2, 1), (1, 2), [0, 1])
    (view,) = facts["result"].views
    first, *rest = view.value.shards
    moved = replace(first, value=np.full(first.shape, 4, "int32"))
    array = replace(view.value, shards=(moved, *rest))
    facts["result"] = Variable("result", (replace(view, value=array),))
    assert "do not follow" in replica_scenes(found=facts)["Where it went"].caption


@pytest.mark.parametrize(
    ("shape", "meshes"),
    [((2, 4), [(1, 8), (2, 4), (4, 2), (8, 1)]), ((3, 1), [(1, 3), (3, 1)]), ((1, 1), [(1, 1)])],
)
def test_every_mesh_that_takes_all_devices_can_be_chosen(shape, meshes):
    assert replicas.shapes(processes(*shape)) == meshes


@pytest.mark.parametrize(
    ("mesh", "shape"),
    [((1, 2), "(4, 8)"), ((8, 1), "(8, 8)"), ((1, 16), "(4, 16)"), ((3, 1), "(6, 8)")],
)
def test_the_arrays_can_be_cut_as_the_mesh_asks(mesh, shape):
    source = replicas.program(mesh, [0, 1])
    ast.parse(source)
    assert source.count(shape) == 3


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (2, 2), (4, 4)])
def test_replicas_has_scenes_for_every_shape_and_mesh(shape):
    lab = processes(*shape)
    for mesh in replicas.shapes(lab):
        fills = list(range(shape[0]))
        sizes = [-(-n // m) * m for n, m in zip((4, 8), mesh, strict=True)]
        facts = replica_facts(lab, mesh, fills, tuple(sizes))
        scenes = replica_scenes(*shape, mesh=mesh, fills=fills, found=facts)
        assert all(scene.caption and scene.alt for scene in scenes.values())
        differ = "not equal" in scenes["What devices hold"].caption
        assert differ == (shape[0] > 1)
