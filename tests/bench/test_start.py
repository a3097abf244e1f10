"""Start, stop and memory at 2, 4 and 8 processes, against plain processes in the same run."""

import statistics
import time

import ipyparallel  # noqa: F401  (imports are done before the clock runs)
import psutil
import pytest

import labkit
import labkit.lab.lab
from tests.bench.floor import Floor

ROUNDS = 3
DEVICES = 4
PSUM = """
mesh = Mesh(jax.devices(), ("i",))
x = jax.make_array_from_process_local_data(
    NamedSharding(mesh, P("i")), np.ones(jax.local_device_count(), np.int32))
add_up = jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
f = jax.jit(add_up)
int(f(x).addressable_data(0)[0])
"""


def pss_mb(pids: list[int]) -> float:
    return sum(psutil.Process(pid).memory_full_info().pss for pid in pids) / 2**20


def family(pid: int) -> list[int]:
    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


def lab_once(count: int, launch: str) -> dict[str, float]:
    began = time.perf_counter()
    lab = labkit.start(processes=count, devices=DEVICES, launch=launch)
    assert dict(lab.run(PSUM)) == dict.fromkeys(range(count), count * DEVICES)
    ready = time.perf_counter()
    memory = pss_mb(family(lab._cluster.supervisor.pid))
    stopping = time.perf_counter()
    lab.stop()
    return {"start": ready - began, "stop": time.perf_counter() - stopping, "memory": memory}


def floor_once(count: int) -> dict[str, float]:
    floor = Floor(count, DEVICES)
    try:
        return {"start": floor.start(), "memory": pss_mb(floor.pids())}
    finally:
        floor.stop()


def median(rounds: list[dict[str, float]], key: str) -> float:
    return statistics.median(one[key] for one in rounds)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [2, 4, 8])
@pytest.mark.parametrize("launch", ["fork", "plain"])
def test_start_stop_and_memory(count: int, launch: str, capsys: pytest.CaptureFixture):
    pairs = [(floor_once(count), lab_once(count, launch)) for _ in range(ROUNDS)]
    floors, labs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    start = statistics.median(lab["start"] / floor["start"] for floor, lab in pairs)
    with capsys.disabled():
        print(
            f"\n{launch} {count} processes: start {median(labs, 'start'):.2f} s = {start:.2f} x "
            f"the floor ({median(floors, 'start'):.2f} s); stop {median(labs, 'stop'):.2f} s; "
            f"memory {median(labs, 'memory'):.0f} MB = "
            f"{median(labs, 'memory') / median(floors, 'memory'):.2f} x "
            f"({median(floors, 'memory'):.0f} MB)"
        )
    assert start < 10, "a start may be slow on a busy machine, but not like this"
