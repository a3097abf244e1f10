"""Processes that run different programs: every wrong number has its mark, no right one has."""

import pytest

import labkit
from labkit.display.results import Results
from tests.lab import scenario

SOON = 1.5  # seconds of deadline


@pytest.fixture(scope="module")
def lab():
    return scenario.started()


class TestWrongNumbers:
    @pytest.fixture(autouse=True)
    def _repaired(self, lab, first_names):
        yield from scenario.repaired(lab, first_names)

    def marked(self, lab, source) -> Results:
        done = lab.run(source, deadline=SOON)
        assert not done.trusted
        assert done.why in done.picture().text
        assert "not to be trusted" in repr(done)
        scenario.is_unsafe(lab, why=done.why)
        return done

    def test_two_collectives_in_another_order(self, lab):
        done = self.marked(
            lab,
            "if me == 0:\n    a = total(x)\n    b = largest(x)\n"
            "else:\n    b = largest(x)\n    a = total(x)\n"
            "(read(a), read(b))",
        )
        assert done.why == (
            "the processes launched different programs: "
            "process 0 jit__lambda (psum) in line 2: a = total(x); "
            "process 1 jit__lambda (pmax) in line 5: b = largest(x)."
        )
        right = ([56, 64], [14, 15])
        assert right not in done.values(), "the numbers are wrong, and no error says so"

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("total", "largest"),
            (
                "over(lambda v: jax.lax.psum(2 * v, 'i'))",
                "over(lambda v: jax.lax.psum(3 * v, 'i'))",
            ),
        ],
        ids=["operation", "constant"],
    )
    def test_the_same_call_but_for_its(self, lab, one, other):
        done = self.marked(lab, f"f = {one} if me == 0 else {other}\nread(f(x))")
        assert done.why.startswith("the processes launched different programs: process 0 jit__lam")
        assert done.why.count("in line 2: read(f(x))") == 2

    def test_two_constants_that_all_processes_know(self, lab):
        lab.run("twice, thrice = (over(lambda v, n=n: jax.lax.psum(n * v, 'i')) for n in (2, 3))")
        lab.run("twice(x), thrice(x);")
        self.marked(lab, "read(twice(x) if me == 0 else thrice(x))")

    def test_another_order_over_some_devices_of_each_process(self, lab):
        done = self.marked(
            lab,
            "ones, pair = np.ones(1), Mesh([jax.devices()[0], jax.devices()[4]], ('i',))\n"
            "z = jax.make_array_from_process_local_data(NamedSharding(pair, P('i')), me + ones)\n"
            "f, g = (over(lambda v, c=c: c(v, 'i'), pair) for c in (jax.lax.psum, jax.lax.pmax))\n"
            "a, b = (f(z), g(z)) if me == 0 else (g(z), f(z))[::-1]\n"
            "read(a), read(b)",
        )
        assert "(psum) in line 4" in done.why
        assert "(pmax) in line 4" in done.why
        assert done[0] != done[1]

    def test_another_order_in_processes_of_one_device(self, lab):
        try:
            lab.reset(devices=1)
            done = self.marked(
                lab, "a, b = (f(x) for f in (total, largest)[:: 1 - 2 * me])\nread(a)"
            )
            assert "process 0 jit__lambda (psum) in line 1" in done.why
            assert "process 1 jit__lambda (pmax) in line 1" in done.why
            lab.reset()
            assert lab.run("a = total(x)\nb = largest(x)\nread(b)").trusted
        finally:
            lab.reset(devices=4)

    def test_another_dtype(self, lab):
        done = self.marked(
            lab, "y = spread(np.arange(8, dtype=[np.int32, np.float32][me]))\ntotal(y)"
        )
        assert done.why.count("jit__lambda (psum) in line 2: total(y)") == 2

    def test_a_gather_of_other_shapes_of_one_size(self, lab):
        done = self.marked(
            lab, "multihost_utils.process_allgather(np.ones([(6,), (2, 3)][me])).tolist()"
        )
        assert done[0] != done[1]

    @pytest.mark.parametrize("more", [0, 1])
    def test_another_shape(self, lab, more):
        source = f"y = spread(np.ones(16 if me == {more} else 8, np.int32))\nread(total(y))"
        with pytest.raises(labkit.NotArrived) as raised:
            lab.run(source, deadline=SOON)
        rows = raised.value.roll_call
        assert (rows[more].state, rows[1 - more].state) == ("waiting", "ended")
        scenario.is_unsafe(lab, why=lab.why)

    def test_a_gather_of_other_sizes_ends_a_process(self, lab):
        with pytest.raises(labkit.ProcessLost) as raised:
            lab.run("multihost_utils.process_allgather(np.ones(2 + me)).tolist()")
        assert set(raised.value.by_process.values()) == {"killed by SIGABRT"}
        assert "gloo" in lab.log(min(raised.value.by_process))
        scenario.is_lost(lab, why=lab.why)
        assert "What happened: In one collective the processes sent blocks of different sizes" in (
            str(raised.value)
        )


class TestRightNumbersHaveNoMark:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("if me == 0:\n    y = total(x)\nelse:\n    y = total(x)\nread(y)", scenario.PSUM),
            (
                "if me == 0:\n    y = over(lambda v: jax.lax.psum(2 * v, 'i'))(x)\n"
                "else:\n    y = over(lambda v: jax.lax.psum(2 * v, 'i'))(x)\nread(y)",
                {0: [112, 128], 1: [112, 128]},
            ),
            ("for n in range(300): y = total(x)\nread(y)", scenario.PSUM),
            (
                "multihost_utils.process_allgather(np.arange(2) + me).tolist()",
                {p: [[0, 1], [1, 2]] for p in (0, 1)},
            ),
            (
                "f = jax.pmap(lambda v: jax.lax.psum(v, 'i'), 'i')\n"
                "read(f(jnp.arange(4) + 4 * me))",
                {0: [28], 1: [28]},
            ),
            ("if me == 1: print('only here')\nread(total(x))", scenario.PSUM),
            (
                "if me == 0: z = jax.jit(lambda v: v * v)(jnp.arange(4))\nread(total(x))",
                scenario.PSUM,
            ),
            ("w = x\nfor n in range(3): w = w - (w * w).sum() // 1000\nint(w.sum())", None),
        ],
        ids=[
            "one program called from two lines",
            "one program made in two lines",
            "a loop that waits for nothing",
            "a gather",
            "pmap",
            "prints in one process",
            "a program of one process's own",
            "operators",
        ],
    )
    def test_where_all_run(self, lab, source, expected):
        done = lab.run(source)
        assert done.trusted, done.why
        assert lab.state == "ready"
        if expected:
            assert dict(done) == expected

    def test_where_one_process_runs_alone(self, lab):
        done = lab.run("local = jnp.arange(3)\nint(local.sum())", on=0)
        assert (dict(done), done.trusted) == ({0: 3}, True)
        assert lab.run("read(total(x))").trusted

    @pytest.mark.parametrize(
        "cells",
        [
            ["with jax.profiler.trace(folder):\n    y = total(x)\nread(y)"],
            [
                "jax.profiler.start_trace(folder)\nread(total(x))",
                "read(total(x))",
                "jax.profiler.stop_trace()\nread(total(x))",
            ],
        ],
        ids=["in a cell", "over cells"],
    )
    def test_under_the_learners_own_profile_and_it_is_written(self, lab, cells):
        lab.run("import glob, tempfile\nfolder = tempfile.mkdtemp()")
        for source in cells:
            done = lab.run(source)
            assert (dict(done), done.trusted) == (scenario.PSUM, True)
        assert set(
            lab.run("len(glob.glob(folder + '/**/*.xplane.pb', recursive=True))").values()
        ) == {1}
        lab.run("import shutil; shutil.rmtree(folder)")
