"""Every error of the table, caused for real; what the table says to write instead, run as well."""

import os
import re
import socket
import subprocess
import sys

import pytest

from labkit.cluster import ports, supervisor_client
from labkit.facts import Failure, Help
from labkit.text import explain
from tests.processes import harness

GATHER = "multihost_utils.process_allgather"
FROM_LOCAL = "jax.make_array_from_process_local_data"

# What fails -> a piece of what is said, and what works instead.
CAUSES = {
    "jax.jit(lambda v: v, in_shardings=sharding)(np.tile(mine, 2))": (
        "`jit` got a numpy array",
        f"jax.jit(lambda v: v, in_shardings=sharding)({FROM_LOCAL}(sharding, mine))",
    ),
    "jax.device_put(np.tile(mine, 2), sharding)": ("`device_put`", f"{FROM_LOCAL}(sharding, mine)"),
    "jax.device_put(float(jax.process_index()), whole)": ("`device_put`", ""),
    "jax.device_put(np.full(4, np.nan), whole)": (
        "NaN never is",
        f"{FROM_LOCAL}(whole, np.full(4, np.nan))",
    ),
    "np.asarray(x)": ("Part of this array", f"{GATHER}(x, tiled=True)"),
    "jax.device_get(x)": ("Part of this array", "[s.data for s in x.addressable_shards]"),
    "x.tolist()": ("Part of this array", ""),
    "[v for v in x]": ("A loop over an array", f"[v for v in {GATHER}(x, tiled=True)]"),
    f"{GATHER}(x)": ("Without `tiled=True`", f"{GATHER}(x, tiled=True)"),
    f"{GATHER}('text')": ("text", f"{GATHER}(np.frombuffer('text'.encode(), np.uint8))"),
    f"{FROM_LOCAL}(sharding, np.ones(3), (8,))": (
        "its own share of `global_shape`",
        f"{FROM_LOCAL}(sharding, np.ones(4), (8,)); {FROM_LOCAL}(sharding, np.ones(2))",
    ),
    f"{FROM_LOCAL}(sharding, np.ones(3))": ("does not come out even", ""),
    "jax.device_put(mine, sharding)": ("does not come out even", f"{FROM_LOCAL}(sharding, mine)"),
    "jax.make_array_from_callback((8,), sharding, lambda index: np.ones(4))": (
        "has not the shape of its shard",
        "jax.make_array_from_callback((8,), sharding, lambda index: np.ones(8)[index])",
    ),
    "jax.make_array_from_callback((2,), sharding, lambda index: np.ones(8)[index])": (
        "does not come out even",
        "",
    ),
    "jax.distributed.initialize()": ("Only before that can it join", ""),
    "jax.config.update('jax_num_cpu_devices', 8)": ("their number is fixed", ""),
    "jax.config.update('jax_cpu_collectives_implementation', 'none')": ("no library", ""),
    "mapped(lambda v: v, P())": ("`out_specs` leaves out", "mapped(lambda v: v)"),
    "mapped(lambda v: jax.lax.all_gather(v, 'i'), P())": (
        "`out_specs` leaves out",
        "mapped(lambda v: jax.lax.psum(v, 'i'), P()); mapped(lambda v: jax.lax.pmean(v, 'i'), P())",
    ),
    "scan_from(lambda: jnp.zeros(1))": ("One is the same on all devices", "scan_from(varying)"),
    "either(lambda: jnp.zeros(1))": ("One is the same on all devices", "either(varying)"),
    "mapped(lambda v: v, check_rep=False)": (
        "it is called `check_vma`",
        "mapped(lambda v: v, check_vma=False)",
    ),
    "mapped(lambda v: jax.lax.pvary(v, 'i'))": ("`jax.lax.pvary` is gone", "scan_from(varying)"),
    "jax.lax.psum(1.0, 'i')": ("an axis that does not exist", ""),
    "jax.jit(lambda v: jax.lax.psum(v, 'i'))(x)": (
        "an axis that does not exist",
        "mapped(lambda v: jax.lax.psum(v, 'i'))",
    ),
    "e[0]": ("told how the result is cut", "e.at[0].get(out_sharding=told)"),
    "e.T @ e": ("Both factors are cut", "jnp.matmul(e.T, e, out_sharding=told)"),
    "with jax.set_mesh(explicit): jax.lax.with_sharding_constraint(e, P())": (
        "only compares",
        "jax.reshard(e, told)",
    ),
}
# Wrong numbers, and no error to be explained.
SILENT = [
    "jax.jit(lambda v: v, in_shardings=whole)(mine)",
    "jax.shard_map(lambda v: v, mesh=mesh, in_specs=P('i'), out_specs=P('i'))(np.tile(mine, 2))",
    f"{FROM_LOCAL}(whole, mine)",
    "import os; os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'",
]
INSTEAD = [instead for _, instead in CAUSES.values() if instead]


def attempts(*arguments):
    from tests.processes import failing

    return failing.attempts(*arguments)


@pytest.fixture(scope="module")
def told():
    """Source -> how it failed in each process."""
    sources = [*CAUSES, *SILENT, *INSTEAD]
    answers = harness.run(attempts, sources, processes=2, devices=2, timeout=100)
    return dict(zip(sources, zip(*answers, strict=True), strict=True))


def explained(failed: dict) -> Help | None:
    return explain.failure(Failure(**failed))


@pytest.mark.parametrize("source", CAUSES)
def test_an_error_is_explained_in_every_process(told, source):
    piece, _ = CAUSES[source]
    for failed in told[source]:
        assert failed, "no error"
        assert explained(failed), failed
        assert piece in explained(failed).what


@pytest.mark.parametrize("source", INSTEAD)
def test_what_is_to_be_written_instead_works(told, source):
    assert told[source] == (None, None)


@pytest.mark.parametrize("source", SILENT)
def test_what_gives_wrong_numbers_in_silence_is_no_error(told, source):
    assert told[source] == (None, None)


def gather(collectives):
    import jax

    jax.config.update("jax_cpu_collectives_implementation", collectives)
    return attempts([f"{GATHER}(np.arange(2))"], "")


def test_unequal_numbers_of_devices_are_explained():
    for failed in harness.run(gather, "gloo", processes=2, devices=[2, 3]):
        assert "equally many devices" in explained(failed[0]).what


def test_processes_without_collectives_are_explained():
    for failed in harness.run(gather, None, processes=2, devices=1):
        assert "opened its devices without one" in explained(failed[0]).what


def gather_unequal():
    return attempts([f"{GATHER}(np.arange(3 + jax.process_index()))"], "")


def death(function, *arguments) -> Help | None:
    """What is said of the first process that ends."""
    with pytest.raises(harness.GroupError) as caught:
        harness.run(function, *arguments, processes=2, devices=1)
    how, *logs = str(caught.value).split("\n--- ")
    index, status = re.fullmatch(r"process (\d) ended with (-?\d+)", how).groups()
    return explain.death(supervisor_client.how_it_ended(int(status)), logs[int(index)])


def test_different_shapes_in_one_collective_are_explained():
    assert "blocks of different sizes" in death(gather_unequal).what


def test_a_missing_mpi_is_explained():
    assert "MPI" in death(gather, "mpi").what


JOIN = """
import os, sys, jax
jax.distributed.initialize({address!r}, {count}, {index}, initialization_timeout=5)
"""


def start(program: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    return subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE, text=True
    )


def ends(started: list[subprocess.Popen[str]]) -> list[tuple[str, str]]:
    """How each ended, and what it wrote."""
    try:
        logs = [child.communicate(timeout=60)[1] for child in started]
    finally:
        for child in started:
            child.kill()
    return [
        (supervisor_client.how_it_ended(c.returncode), log)
        for c, log in zip(started, logs, strict=True)
    ]


def joining(*indices: int, count: int = 2, then: str = "") -> list[subprocess.Popen[str]]:
    address = f"127.0.0.1:{ports.free_port()}"
    return [start(JOIN.format(address=address, count=count, index=i) + then) for i in indices]


def test_joining_without_an_address_is_explained():
    [(_, log)] = ends([start("import jax; jax.distributed.initialize()")])
    kind, _, message = log.strip().splitlines()[-1].partition(": ")
    assert "where the processes meet" in explain.failure(Failure(kind, message)).what


def test_a_port_that_is_taken_is_explained():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        address = f"127.0.0.1:{holder.getsockname()[1]}"
        [end] = ends([start(JOIN.format(address=address, count=2, index=0))])
    assert "port" in explain.death(*end).what


def test_a_process_that_loses_its_coordinator_is_explained():
    then = "jax.devices()\nif jax.process_index() == 0: os._exit(3)\nimport time; time.sleep(60)"
    first, second = ends(joining(0, 1, then=then))
    assert first[0] == "exit status 3"
    assert explain.death(*first) is None
    assert "coordinator" in explain.death(*second).what


@pytest.mark.slow
def test_a_missing_partner_and_a_process_id_given_twice_are_explained():
    first, *twice = [explain.death(*end) for end in ends(joining(0, 1, 1, count=3))]
    assert "Not all processes came" in first.what
    assert any("same `process_id`" in help_.what for help_ in twice)
