"""The flight recorder: what it must not take for programs that part, and when it gives up."""

SETUP = """
import time
sharding = NamedSharding(Mesh(jax.devices(), ("i",)), P("i"))
x = jax.make_array_from_process_local_data(sharding, np.ones(jax.local_device_count()))
add_up = jax.jit(lambda x: x.sum())
add_up(x)
"""


def test_a_process_so_late_that_another_has_launched_all_it_may(lab):
    # JAX launches some dozens ahead and then waits inside of a launch. The recorder is read after
    # a second of waiting, and loses what is going on.
    lab.run(SETUP)
    many = "for _ in range(100):\n    y = add_up(x)\nfloat(y)"
    results = lab.run(f"if jax.process_index() == 1:\n    time.sleep(1.7)\n{many}")
    assert results.trusted, results.why
    assert dict(results) == {0: 8.0, 1: 8.0}


def test_a_cell_that_is_quiet_at_first_and_then_launches_very_many_is_capped(lab):
    lab.run("import time\nx = jnp.ones(8)")
    late = "time.sleep(1)\nend = time.monotonic() + 4\nwhile time.monotonic() < end: y = x + 1"
    assert lab.run(late).trusted
    assert "launched very many: only the first are here" in repr(lab.timeline())
