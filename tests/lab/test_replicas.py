"""lab.replicas on real processes: every fault, mending, and what it must not do."""

import numpy as np
import pytest

import labkit
from tests.processes.faults import FAULTS, GOOD_ON_HOST, PROBLEMS, groups, unlike
from tests.source import ROOT

MAKE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.processes import faulty
sys.path.pop(0)
tree = faulty.tree()
None
"""
SMALL = """
everywhere = NamedSharding(Mesh(jax.devices(), ("i",)), P())
def put(value):
    return jax.make_array_from_process_local_data(everywhere, value)
params = {"w": put(np.arange(6.0) + jax.process_index()), "b": put(np.ones(3))}
state = [params, 0.5]
other = params
None
"""


@pytest.fixture(scope="module")
def found(lab):
    lab.run(MAKE)
    return lab.replicas("tree"), lab.replicas("tree", fix_from=0)


def by_name(report):
    return {leaf.path[2:-2]: leaf for leaf in report.leaves}


def test_every_fault_is_found_and_nothing_else(found):
    wrong = {name for name, held in FAULTS.items() if groups(held)} | set(PROBLEMS) - {"unread"}
    leaves = by_name(found[0])
    assert {name for name, leaf in leaves.items() if not leaf.agree} == wrong
    assert set(leaves) - wrong > GOOD_ON_HOST


def test_groups_first_index_and_count_are_those_of_plain_numpy(found):
    leaves = by_name(found[0])
    for name, held in FAULTS.items():
        if not groups(held):
            continue
        places = unlike(held, name)
        leaf = leaves[name]
        assert (leaf.first_index, leaf.count) == (places[0], len(places)), name
        assert [list(group) for group in leaf.groups] in groups(held).values(), name


def test_mended_copies_are_equal_and_what_could_not_be_is_named(found):
    report, leaves = found[1], by_name(found[1])
    broken = {name for name, held in FAULTS.items() if groups(held)} | {"number", "numpy"}
    assert {path[2:-2] for path in report.fixed} == broken
    assert all(leaves[name].agree for name in broken)
    left = {line.partition(": ")[0][len("tree['") : -2] for line in report.left}
    assert left == {"deleted", "dtype", "shape", "spec", "only_first", "text"}
    assert "tree['deleted']: deleted in process 1" in report.left


def test_mended_copies_are_those_of_the_process_that_was_named(lab, found):
    for name in ("poked", "whole", "slice", "zeros", "nan_payload", "bfloat16", "own"):
        held = FAULTS[name]
        right = held.copy("p0·d3" if held.cut else "p0·d0")
        for label, value in lab.values(f'tree["{name}"]').items():
            rows = held.rows(label)
            assert value.tobytes() == right[rows if held.cut else ...].tobytes(), (name, label)


def test_mending_keeps_shardings_kinds_and_types(lab, found):
    lab.run(MAKE.replace("tree = faulty", "before = faulty"))
    same = lab.run(
        """
        def kind(x):
            array = isinstance(x, jax.Array)
            return (type(x), x.sharding, x.dtype) if array else (type(x),)
        [name for name in before if kind(before[name]) != kind(tree[name])]
        """
    )
    assert dict(same) == {0: [], 1: []}


@pytest.fixture
def small(lab):
    lab.run(SMALL)
    return lab


def test_a_name_a_part_of_one_and_several(small):
    assert [leaf.path for leaf in small.replicas("params").differing] == ["['w']"]
    assert small.replicas('params["b"]').agree
    assert [leaf.path for leaf in small.replicas("params['b'], params['w']").differing] == ["[1]"]
    assert small.replicas("everywhere").agree


def test_what_must_be_computed_is_computed_in_all_processes_and_said(small):
    report = small.replicas("jax.tree.map(lambda x: 2 * x, params)")
    assert "computed for this in all processes" in repr(report)
    assert report.differing[0].max_abs_diff == 2.0
    assert not any(
        "__" in name[:3] and "compared" in name for name in small.run("list(globals())")[0]
    )


def test_computing_may_raise_as_a_cell(small):
    with pytest.raises(labkit.ProcessError, match="ZeroDivisionError"):
        small.replicas("params['w'] * (1 // 0)")


def test_mending_from_another_process_through_a_part_of_a_tree(small):
    report = small.replicas("state[0]['w']", fix_from=1)
    assert report.agree
    for value in small.values("state[0]['w']").values():
        np.testing.assert_array_equal(value, np.arange(6.0) + 1)
    assert small.replicas("params").agree  # the same dict


def test_mending_several_names_at_once(small):
    small.run("v = put(np.full(2, jax.process_index()))\nNone")
    report = small.replicas("params, v", fix_from=1)
    assert report.fixed == ("[0]['w']", "[1]")
    assert small.replicas("v, params").agree
    assert not small.replicas("other").agree  # another name keeps what it stood for


def test_a_process_that_holds_no_copy_cannot_mend(lab):
    lab.run(
        """
        half = Mesh(np.array(jax.devices()).reshape(2, 4), ("p", "d"))
        rows = NamedSharding(half, P("p"))
        mine = [jax.device_put(np.full((1, 2), i), d) for i, d in enumerate(jax.local_devices())]
        x = jax.make_array_from_single_device_arrays((2, 2), rows, mine)
        None
        """
    )
    report = lab.replicas("x", fix_from=0)
    assert report.fixed == ("",)
    assert report.left == ("x: process 0 holds no copy of what differs",)
    assert report.differing[0].first_index == (1, 0)


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("params +", {}, "expected a name"),
        ("nowhere", {}, "No process has 'nowhere'"),
        ("jax.tree.map(abs, params)", {"fix_from": 0}, "no name stands for it"),
        ("dict(params)['w']", {"fix_from": 0}, "no name stands for it"),
        ("params", {"fix_from": 2}, "processes 0, 1"),
    ],
)
def test_what_cannot_be_is_refused(small, name, more, words):
    with pytest.raises(labkit.LabError, match=words):
        small.replicas(name, **more)
    assert small.state == "ready"


def test_a_name_that_one_process_lacks(small):
    small.run("if jax.process_index(): del params")
    assert {leaf.problem for leaf in small.replicas("params").leaves} == {"missing in process 1"}


def test_an_unsafe_lab_is_read_only_by_who_says_so_and_the_report_is_marked(small):
    small._state.become("unsafe", "somebody left early.")
    with pytest.raises(labkit.Unsafe):
        small.replicas("params")
    with pytest.raises(labkit.Unsafe):
        small.replicas("params", untrusted=True, fix_from=0)
    report = small.replicas("params", untrusted=True)
    assert not report.agree
    assert "not to be trusted: somebody left early." in repr(report)


def test_what_each_process_has_for_itself_may_be_left_alone(small):
    small.run("mine = {'batch': jnp.arange(3) + jax.process_index()}\nNone")
    assert not small.replicas("mine").agree
    assert small.replicas("mine", own=False).agree
    assert small.replicas("mine", fix_from=0, own=False).fixed == ()
    assert not small.replicas("mine").agree


def test_check_replicas_works_in_a_cell_too(small):
    with pytest.raises(labkit.ProcessError, match="ReplicasDiffer") as error:
        small.run("import labkit\nlabkit.check_replicas(params)")
    assert set(error.value.by_process) == {0, 1}
