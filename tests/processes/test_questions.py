"""The two questions, answered by plain programs: the values every lab has to agree with."""

import numpy as np
import pytest

from tests.processes import oracle

ROWS = [np.arange(8), np.arange(8, 16)]  # what each process starts from


@pytest.fixture(scope="module")
def psum():
    return oracle.psum_question(processes=2, devices=4)


@pytest.fixture(scope="module")
def batch():
    return oracle.batch_question()


def all_equal(shards, expected):
    return all(np.array_equal(np.ravel(shard), expected) for shard in shards)


@pytest.mark.parametrize("program", ["pmap", "local_mesh", "global_mesh"])
@pytest.mark.parametrize("process", [0, 1])
def test_every_program_starts_from_the_same_rows(psum, program, process):
    told = psum[program][process]
    assert np.ravel(told["x"]).tolist() == ROWS[process].tolist()
    assert np.concatenate([np.ravel(s) for s in told["shards"]]).tolist() == ROWS[process].tolist()


@pytest.mark.parametrize("process", [0, 1])
def test_pmap_sums_over_all_processes_though_its_array_looks_local(psum, process):
    told = psum["pmap"][process]
    assert told["psum"].tolist() == [[56, 64]] * 4
    assert told["addressable"]


@pytest.mark.parametrize(("process", "expected"), [(0, [12, 16]), (1, [44, 48])])
def test_a_local_mesh_sums_over_its_own_process(psum, process, expected):
    told = psum["local_mesh"][process]
    assert told["psum"].tolist() == expected * 4
    assert len(told["psum_shards"]) == 4
    assert all_equal(told["psum_shards"], expected)
    assert told["addressable"]


@pytest.mark.parametrize("process", [0, 1])
def test_gathering_arrays_of_local_meshes_stacks_them(psum, process):
    assert np.array_equal(psum["local_mesh"][process]["gathered"], np.stack(ROWS))


@pytest.mark.parametrize("process", [0, 1])
def test_a_global_mesh_sums_over_all_processes(psum, process):
    told = psum["global_mesh"][process]
    assert len(told["psum_shards"]) == 4
    assert all_equal(told["psum_shards"], [56, 64])
    assert told["psum_gathered"].tolist() == [56, 64] * 8
    assert told["psum_local"].tolist() == [56, 64] * 4
    assert not told["addressable"]


@pytest.mark.parametrize("process", [0, 1])
def test_gathering_an_array_of_the_global_mesh_gives_all_of_it(psum, process):
    assert np.array_equal(psum["global_mesh"][process]["gathered"], np.arange(16))


@pytest.mark.parametrize(
    ("program", "process", "devices"),
    [
        ("pmap", 0, [0, 1, 2, 3]),
        ("pmap", 1, [2048, 2049, 2050, 2051]),
        ("local_mesh", 0, [0, 1, 2, 3]),
        ("local_mesh", 1, [2048, 2049, 2050, 2051]),
        ("global_mesh", 0, [0, 1, 2, 3, 2048, 2049, 2050, 2051]),
        ("global_mesh", 1, [0, 1, 2, 3, 2048, 2049, 2050, 2051]),
    ],
)
def test_jax_draws_the_devices_of_the_mesh(psum, program, process, devices):
    drawing = psum[program][process]["drawn"]["x_s"]
    drawn = drawing.replace("│", " ").replace("CPU", " ").split()
    assert [int(word) for word in drawn if word.isdigit()] == devices


@pytest.mark.parametrize("process", [0, 1])
def test_an_array_that_claims_replication_holds_what_each_process_put_in(batch, process):
    told = batch["a"][process]
    assert told["replicated"]
    assert told["spec"] == ("data", None)
    assert np.array_equal(told["shard"], np.full((4, 8), process))


@pytest.mark.parametrize("process", [0, 1])
def test_gathering_it_gives_each_process_its_own_copy(batch, process):
    assert np.array_equal(batch["a"][process]["gathered"], np.full((4, 8), process))


@pytest.mark.parametrize("process", [0, 1])
def test_the_sharded_array_is_the_same_for_everyone(batch, process):
    told = batch["b"][process]
    assert not told["replicated"]
    assert np.array_equal(told["shard"], np.full((4, 4), process))
    assert np.array_equal(told["gathered"], [[0, 0, 0, 0, 1, 1, 1, 1]] * 4)


@pytest.mark.parametrize(("process", "expected"), [(0, 2), (1, 6)])
def test_the_result_shows_that_each_device_used_its_own_copy(batch, process, expected):
    told = batch["result"][process]
    assert np.array_equal(told["shard"], np.full((4, 4), expected))
    assert np.array_equal(told["gathered"], [[2, 2, 2, 2, 6, 6, 6, 6]] * 4)
