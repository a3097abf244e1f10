"""Which copies a value descends from, against what changes when a copy is changed."""

import numpy as np
import pytest

MAKE = """
mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("model", "data"))
everywhere, cut = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
rows = np.arange(24, dtype=np.float32).reshape(8, 3) / 7 + 1
x = jax.make_array_from_callback(rows.shape, cut, lambda index: rows[index])

def weights(*each):
    mine = np.array([1, 3, 4], np.float32) * each[jax.process_index()]
    return jax.make_array_from_process_local_data(everywhere, mine)

def over(f, out=P()):
    specs = {"mesh": mesh, "in_specs": (P(), P("data")), "out_specs": out, "check_vma": False}
    return jax.jit(jax.shard_map(f, **specs))

def loss(w, x):
    return ((x @ w) ** 2).mean()

def turn(w, x):
    g = jax.lax.pmean(jax.grad(loss)(w, x), "data")
    return w - 0.01 * g, g.sum()

programs = {
    "own": over(lambda w, x: (x * w, x + 1), P("data")),
    "within": over(lambda w, x: jax.lax.psum(x @ w, "data")),
    "across": over(lambda w, x: jax.lax.psum(w * 2, "model") + 1),
    "sent": over(lambda w, x: jax.lax.ppermute(w, "model", [(0, 1)]) + x[0]),
    "trained": over(lambda w, x: jax.lax.scan(lambda w, _: turn(w, x), w, None, length=2)),
    "compiled": jax.jit(lambda w, x: w - 0.01 * jax.grad(loss)(w, x)),
}
None
"""


def recorded(lab, name, first, second):
    lab.run(f"w, f = weights({first}, {second}), programs[{name!r}]\nNone")
    return lab.step("f(w, x)")


def changed(one, other):
    """(step, place among what it gives) → devices whose bytes are not those of another run."""
    pairs = [
        ((a.number, n), u, v)
        for a, b in zip(one, other, strict=True)
        for n, (u, v) in enumerate(zip(a.gives, b.gives, strict=True))
    ]
    return {key: {d for d in u.digests if u.digests[d] != v.digests[d]} for key, u, v in pairs}


@pytest.mark.parametrize("name", ["own", "within", "across", "sent", "trained", "compiled"])
def test_what_descends_from_a_copy_is_what_changes_with_it(lab, name):
    lab.run(MAKE)
    run = recorded(lab, name, 1, 2)
    found = {}
    for trace in run.descent().traces:
        place = next(n for n, v in enumerate(trace.step.gives) if v is trace.value)
        found[trace.step.number, place] = trace.versions
    assert found
    for copy, other in (("w′", (1, 5)), ("w", (7, 2))):
        expected = {k: v for k, v in changed(run, recorded(lab, name, *other)).items() if v}
        told = {key: {d for d, of in each.items() if copy in of} for key, each in found.items()}
        assert {key: devices for key, devices in told.items() if devices} == expected


def test_the_batch_question_is_seen_as_what_it_is(lab):
    lab.run(
        """
        mesh = Mesh(np.array(jax.devices()).reshape(1, 8), ("data", "model"))
        rows, columns = (NamedSharding(mesh, P(*spec)) for spec in (("data",), (None, "model")))
        mine = np.full((4, 8), jax.process_index())
        a = jax.make_array_from_process_local_data(rows, mine, (4, 8))
        b = jax.make_array_from_process_local_data(columns, mine[:, :4], (4, 8))
        multiply = jax.jit(lambda a, b: (a + 1) * (b + 2), in_shardings=(rows, columns))
        None
        """
    )
    run = lab.step("multiply(a, b)")
    trace = run.descent().traces[-1]
    assert trace.hidden
    for device, held in trace.value.held.items():
        assert trace.versions[device] == (("a",) if device.startswith("p0") else ("a′",))
        np.testing.assert_array_equal(held, 2 if device.startswith("p0") else 6)
    assert "descends from a on p0·d0-d3, from a′ on p1·d0-d3" in run.steps[-1].note


def test_arrays_of_each_processs_own_are_no_copies(lab):
    lab.run("own = jnp.arange(3) + jax.process_index()\nNone")
    assert lab.step("jax.jit(lambda v: v * 2)(own)").descent().origins == ()
