"""Cells that are only slow: nobody is missing, and nothing says so."""

import pytest

from tests.lab import scenario

DEADLINE = 3
SECONDS = 2 * DEADLINE
SHOWN = 2  # seconds of waiting, before a cell's output says so


@pytest.fixture(scope="module")
def lab():
    return scenario.started()


@pytest.fixture(autouse=True)
def _only_slow(lab):
    lab.run(
        "import time\ndef lasting(seconds):\n    end = time.monotonic() + seconds\n"
        "    while time.monotonic() < end: yield"
    )
    yield
    assert (lab.state, lab.why) == ("ready", "")
    assert dict(lab.run("read(total(x))")) == scenario.PSUM


def runs(lab, source, deadline=DEADLINE) -> float:
    """The longest wait, in seconds, that roll calls named while it ran to a good end."""
    waits = [0.0]

    def look(outputs):
        waits.extend(row.seconds for row in lab.roll_call())

    done = lab.run(source, deadline=deadline, progress=look)
    assert done.trusted, done.why
    return max(waits)


class TestAll:
    def test_sleep(self, lab):
        assert runs(lab, f"time.sleep({SECONDS})") == 0

    def test_compute_in_python(self, lab):
        assert runs(lab, f"for _ in lasting({SECONDS}): sum(range(1000))") < SHOWN

    def test_multiply_matrices(self, lab):
        lab.run("a = jnp.ones((700, 700)) / 700")
        rounds = f"for _ in lasting({SECONDS}): a = (a @ a).block_until_ready()"
        assert runs(lab, rounds) < SHOWN

    @pytest.mark.slow
    @pytest.mark.one_end
    def test_do_one_after_the_other_for_a_minute(self, lab):
        lab.run("a = jnp.ones((700, 700)) / 700")
        minute = """
time.sleep(40)
for _ in lasting(10): sum(range(1000))
for _ in lasting(10): a = (a @ a).block_until_ready()
total(x).block_until_ready()
"""
        assert runs(lab, minute) < SHOWN

    def test_do_it_in_one_program(self, lab):
        lab.run(
            "def once(_, b): return b @ b\n"
            "def many(n): return jax.jit(lambda a: jax.lax.fori_loop(0, n, once, a))\n"
            "a = jnp.ones((700, 700)) / 700\nmany(1)(a).block_until_ready()\n"
            "began = time.monotonic(); many(20)(a).block_until_ready()\n"
            "rounds = int(multihost_utils.broadcast_one_to_all("
            f"np.int32(20 * {SECONDS} / (time.monotonic() - began))))"
        )
        runs(lab, "many(rounds)(a).block_until_ready()")

    def test_wait_for_each_other_again_and_again(self, lab):
        late = (
            f"for n in range({SECONDS}):\n    time.sleep(me)\n    y = total(x).block_until_ready()"
        )
        runs(lab, late, deadline=4)

    def test_do_so_in_one_line(self, lab):
        lab.run("def late():\n    time.sleep(me)\n    return total(x).block_until_ready()")
        runs(lab, f"ys = [late() for n in range({SECONDS + 4})]", deadline=4)


@pytest.mark.timeout(300)
def test_a_long_compile(lab):
    source = (
        "def deep(v):\n    for n in range(SIZE): v = jnp.sin(v) @ jnp.cos(v) + n\n    return v\n"
        "jax.jit(deep).lower(jnp.ones((8, 8))).compile()"
    )
    runs(lab, source.replace("SIZE", "120"))
