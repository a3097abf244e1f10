"""Both questions asked in the lab, against the same programs as plain processes."""

import numpy as np
import pytest

from tests.processes import oracle

PSUM = """
over = Mesh(jax.{scope}devices(), ("i",))
x = 8 * jax.process_index() + jnp.arange(8)
whole = multihost_utils.host_local_array_to_global_array(x, over, P("i")) if {whole} else x
psum = lambda v: jax.lax.psum(v, "i")
y = jax.jit(jax.shard_map(psum, mesh=over, in_specs=P("i"), out_specs=P("i")))(whole)
x_s = jax.jit(jax.shard_map(lambda v: v, mesh=over, in_specs=P("i"), out_specs=P("i")))(whole)
"""
PMAP = """
x = (8 * jax.process_index() + jnp.arange(8)).reshape(-1, 2)
y = jax.pmap(lambda v: jax.lax.psum(v, "i"), axis_name="i")(x)
"""
BATCH = """
mesh = Mesh(np.array(jax.devices()).reshape(1, -1), ("data", "model"))
def filled(spec):
    sharding = NamedSharding(mesh, spec)
    part = jnp.full(sharding.shard_shape((4, 8)), jax.process_index(), jnp.int32)
    mine = jax.device_put(part, jax.local_devices()[0])
    return jax.make_array_from_single_device_arrays((4, 8), sharding, [mine])
a, b = filled(P("data", None)), filled(P(None, "model"))
result = jax.jit(lambda a, b: (a + 1) * (b + 2), in_shardings=(a.sharding, b.sharding))(a, b)
"""


@pytest.fixture(scope="module")
def plain():
    return oracle.psum_question(processes=2, devices=4)


def shards(values: dict, process: int) -> list[np.ndarray]:
    return [value for label, value in values.items() if label.startswith(f"p{process}·")]


@pytest.mark.parametrize(
    ("program", "scope", "whole"), [("local_mesh", "local_", False), ("global_mesh", "", True)]
)
def test_psum_over_a_mesh_is_what_plain_processes_get(lab, plain, program, scope, whole):
    lab.run(PSUM.format(scope=scope, whole=whole))
    for process in (0, 1):
        told = plain[program][process]
        np.testing.assert_array_equal(shards(lab.values("x_s"), process), told["shards"])
        np.testing.assert_array_equal(shards(lab.values("y"), process), told["psum_shards"])


def test_what_the_processes_read_back_is_what_plain_processes_read(lab, plain):
    lab.run(PSUM.format(scope="", whole=True))
    gathered = lab.run("multihost_utils.process_allgather(y, tiled=True)")
    local = lab.run("multihost_utils.global_array_to_host_local_array(y, over, P('i'))")
    for process in (0, 1):
        told = plain["global_mesh"][process]
        np.testing.assert_array_equal(gathered[process], told["psum_gathered"])
        np.testing.assert_array_equal(local[process], told["psum_local"])


def test_pmap_in_the_lab_is_pmap_in_plain_processes(lab, plain):
    lab.run(PMAP)
    for process, value in lab.run("y").items():
        np.testing.assert_array_equal(value, plain["pmap"][process]["psum"])


@pytest.fixture
def small(lab):
    """The same lab with one device a process, as the batch question has it."""
    yield lab.reset(devices=1)
    lab.reset(devices=4)


def test_the_batch_question_is_answered_as_by_plain_processes(small):
    told = oracle.batch_question()
    small.run(BATCH)
    for name in ("a", "b", "result"):
        values, (array,) = small.values(name), small.facts(name).arrays
        gathered = small.run(f"multihost_utils.process_allgather({name}, tiled=True)")
        for process in (0, 1):
            plain = told[name][process]
            np.testing.assert_array_equal(values[f"p{process}·d0"], plain["shard"])
            np.testing.assert_array_equal(gathered[process], plain["gathered"])
            assert (array.replicated, array.spec) == (plain["replicated"], plain["spec"])
