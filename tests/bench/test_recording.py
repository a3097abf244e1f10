"""Recording a function of 30 operations against compiling and running it, in turn in one lab."""

import statistics
import time
from collections.abc import Callable

import pytest

import labkit

ROUNDS = 7
SETUP = """
mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
x = jax.make_array_from_callback(
    (16, 32), NamedSharding(mesh, P("x", "y")), lambda index: np.ones((16, 32), np.float32)[index])

def fresh(number):  # a function that nobody has compiled
    def body(v):
        for k in range(14):
            v = jnp.sin(v) * (number + k)
        return jax.lax.psum(v, "y") + number
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x")))
"""


def seconds(work: Callable[[str], object], number: int) -> float:
    began = time.perf_counter()
    work(f"fresh({number})(x)")
    return time.perf_counter() - began


@pytest.mark.timeout(600)
def test_recording_against_compiling_and_running(capsys: pytest.CaptureFixture):
    with labkit.start(2, 4) as lab:
        lab.run(SETUP)
        assert len([step for step in lab.step("fresh(0)(x)") if not step.quiet]) == 30
        seconds(lab.run, 1)
        pairs = [
            (seconds(lab.run, 2 * n), seconds(lab.step, 2 * n + 1)) for n in range(1, ROUNDS + 1)
        ]
    ratio = statistics.median(recorded / plain for plain, recorded in pairs)
    with capsys.disabled():
        plain, recorded = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(
            f"\n30 operations: recorded in {recorded:.2f} s = {ratio:.2f} x plain ({plain:.2f} s)"
        )
    assert ratio < 8, "a busy machine may be unfair, but not like this"
