"""labkit.check_replicas in plain processes, against what plain numpy says of the same copies."""

import math
import subprocess
import sys

import pytest

from labkit.cluster.ports import free_port
from tests.processes import harness
from tests.processes.faults import (
    DEVICES,
    FAULTS,
    GOOD_ON_HOST,
    KEYS,
    LABELS,
    PROBLEMS,
    PROCESSES,
    groups,
    unlike,
)


def checked():
    from tests.processes import faulty

    return faulty.checked()


@pytest.fixture(scope="module")
def answers():
    return harness.run(checked, processes=PROCESSES, devices=DEVICES)


@pytest.fixture(scope="module")
def leaves(answers):
    return {leaf["path"][2:-2]: leaf for leaf in answers[0]["report"]["leaves"]}


def test_every_process_gets_the_same_report(answers):
    assert answers[0]["report"]["text"] == answers[1]["report"]["text"]
    assert answers[0]["report"]["seconds"] == answers[1]["report"]["seconds"] > 0


def test_every_fault_is_found_and_nothing_else(leaves):
    wrong = {name for name, held in FAULTS.items() if groups(held)} | set(PROBLEMS)
    assert {name for name, leaf in leaves.items() if leaf["copies"] or leaf["problem"]} == wrong
    assert set(leaves) == wrong | GOOD_ON_HOST | {n for n, h in FAULTS.items() if not groups(h)}


@pytest.mark.parametrize("name", FAULTS)
def test_devices_that_agree_are_in_one_group(leaves, name):
    held = FAULTS[name]
    found = {}
    for copies in leaves[name]["copies"]:
        rows = copies["index"][0] if held.cut else (None, None)
        found[rows] = [list(group) for group in copies["groups"]]
    assert found == groups(held)
    assert leaves[name]["checked"] == len(LABELS)
    assert leaves[name]["own"] == held.own


@pytest.mark.parametrize("name", [name for name, held in FAULTS.items() if groups(held)])
def test_where_and_by_how_much_they_differ(leaves, name):
    held, (copies,) = FAULTS[name], leaves[name]["copies"]
    places = unlike(held, name)
    assert copies["whole"]
    assert copies["first_index"] == places[0]
    assert copies["count"] == len(places)
    head = held.copy(copies["groups"][0][0])
    others = [held.copy(group[0]) for group in copies["groups"][1:]]
    largest = max(_largest(head, other) for other in others)
    numbers = head.dtype != bool and name not in KEYS
    assert copies["max_abs_diff"] == (largest if numbers else None)


def _largest(one, other):
    pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
    return max((abs(a - b) for a, b in pairs if not math.isnan(a) and not math.isnan(b)), default=0)


@pytest.mark.parametrize(
    ("name", "field"),
    [("nan_one_sided", "nan_one_sided"), ("nan_payload", "nan_payload"), ("zeros", "zeros")],
)
def test_differences_that_numbers_do_not_show_are_counted(leaves, name, field):
    kinds = ("nan_one_sided", "nan_payload", "zeros")
    (copies,) = leaves[name]["copies"]
    assert {kind: copies[kind] for kind in kinds} == dict.fromkeys(kinds, 0) | {field: 1}


@pytest.mark.parametrize("name", [name for name, held in FAULTS.items() if groups(held)])
def test_the_block_around_the_first_difference_is_each_groups_own(leaves, name):
    held, (copies,) = FAULTS[name], leaves[name]["copies"]
    for group, value in zip(copies["groups"], copies["values"], strict=True):
        spans = zip(copies["corner"], value.shape, strict=False)
        expected = held.copy(group[0])[tuple(slice(at, at + size) for at, size in spans)]
        assert value.tobytes() == expected.tobytes()
        at = zip(copies["first_index"], copies["corner"], value.shape, strict=False)
        assert all(0 <= first - corner < size <= 8 for first, corner, size in at)


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_differs_besides_bytes_is_said_in_words(leaves, name):
    assert PROBLEMS[name] in leaves[name]["problem"]


def test_values_on_the_host_are_compared_as_numbers(leaves):
    (number,), (array,) = leaves["number"]["copies"], leaves["numpy"]["copies"]
    assert number["max_abs_diff"] == 0.25
    assert number["groups"] == (("p0·host",), ("p1·host",))
    assert (array["first_index"], array["max_abs_diff"]) == ((1,), 1.0)


def test_equal_copies_raise_nothing(answers):
    for said in answers:
        assert said["good"]["agree"]
        assert all(leaf["checked"] for leaf in said["good"]["leaves"])


def test_copies_that_differ_raise_in_every_process_with_the_report(answers):
    for said in answers:
        kind, words = said["raised"]
        assert kind == "ReplicasDiffer"
        assert "['w']" in words
        assert "first at [255, 17]" in words


def test_a_tree_that_one_process_cannot_read_keeps_nobody_waiting(answers):
    for said in answers:
        assert said["unread"][0] == "LabError"
        assert "process 1: ValueError: not today" in said["unread"][1]


def test_another_word_than_raise_or_return_is_refused(answers):
    assert answers[0]["refused"][0] == "LabError"
    assert "'stop'" in answers[0]["refused"][1]


def test_a_batch_of_each_process_need_not_be_equal(answers):
    assert all(said["apart"] for said in answers)


def test_what_was_checked_can_be_donated_after_it(answers):
    assert all(said["donated"] for said in answers)


def test_all_bytes_on_all_devices_were_hashed(answers):
    arrays = sum(held.base.nbytes * (2 if held.cut else 8) for held in FAULTS.values())
    assert answers[0]["report"]["nbytes"] >= arrays


PROGRAM = """
import sys
import jax, jax.numpy as jnp, numpy as np
import labkit
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
assert "ipyparallel" not in sys.modules and "IPython" not in sys.modules
address, index = sys.argv[1], int(sys.argv[2])
jax.config.update("jax_num_cpu_devices", 2)
jax.distributed.initialize(address, 2, index)
everywhere = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P())
params = {"w": jax.make_array_from_process_local_data(everywhere, np.ones(4, np.float32))}

@jax.jit
def train(params, seed):
    noise = jax.random.normal(jax.random.key(seed), (4,))
    return jax.tree.map(lambda p: p - 0.1 * noise, params)

for step in range(4):
    params = train(params, step if step < 2 else step + jax.process_index())
    try:
        labkit.check_replicas(params)
    except labkit.ReplicasDiffer as error:
        print(step, error.report.differing[0].path, error.report.differing[0].groups)
        break
assert "ipyparallel" not in sys.modules and "IPython" not in sys.modules
"""


def test_a_training_program_of_its_own_finds_the_step_where_copies_part():
    address = f"127.0.0.1:{free_port()}"
    argv = [sys.executable, "-W", "ignore", "-c", PROGRAM, address]
    started = [
        subprocess.Popen(
            [*argv, str(index)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=harness.ROOT,
            env={"PYTHONPATH": str(harness.ROOT), "JAX_PLATFORMS": "cpu", "PATH": "/usr/bin"},
        )
        for index in range(2)
    ]
    try:
        said = [child.communicate(timeout=60)[0].splitlines()[-1] for child in started]
    finally:
        for child in started:
            child.kill()
    expected = "2 ['w'] (('p0·d0', 'p0·d1'), ('p1·d0', 'p1·d1'))"
    assert said == [expected, expected]
