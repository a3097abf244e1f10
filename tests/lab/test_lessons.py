"""Verdicts and truths read from real processes: what a learner might write, right and wrong."""

import json

import pytest

import labkit
from labkit import rows
from labkit.lessons import lab_queries, questions, score
from tests.source import ROOT

LAST = "jax.device_put(10 * jax.process_index() + jnp.arange(3), jax.local_devices()[{}])"
PSUM_OVER = """
x = 8 * jax.process_index() + jnp.arange(8)
sharding = NamedSharding(Mesh(jax.devices(), ("i",)), P("i"))
def psum_over(mesh, out=P("i")):
    sum_up = lambda v: jax.lax.psum(v, "i")
    return jax.jit(jax.shard_map(sum_up, mesh=mesh, in_specs=P("i"), out_specs=out))
"""
MEETING = """
sharding = NamedSharding(Mesh(jax.devices(), ("i",)), P("i"))
x = jax.make_array_from_process_local_data(sharding, np.arange(4) + 4 * jax.process_index())
def over_all(f):
    return jax.jit(jax.shard_map(f, mesh=sharding.mesh, in_specs=P("i"), out_specs=P()))
total = over_all(lambda v: jax.lax.psum(v, "i")[0])
largest = over_all(lambda v: jax.lax.pmax(v, "i")[0])
"""
LOG = """
def log_total(array):
    result = total(array)
    {}
"""
DIFFERING = """
def differing(array):
    copies = multihost_utils.process_allgather({})
    return [p for p, copy in enumerate(copies) if (copy != copies[0]).any()]
"""

LOADING = """
from labkit.rows import Rows
path = {!r}
def needs(sharding, batch):
    held = sharding.addressable_devices_indices_map((batch,)).values()
    return [range(batch)[rows] for (rows,) in held]
def made(mine, sharding, batch):
    return jax.make_array_from_process_local_data(sharding, mine, (batch, 2))
"""


@pytest.fixture(autouse=True)
def a_kernel_just_started(monkeypatch):
    for place, name in ((score, "tries"), (score, "hinted"), (questions, "committed")):
        monkeypatch.setattr(place, name, {})
    monkeypatch.setattr(lab_queries, "DEADLINE", 2.0)


def test_an_array_on_the_last_device(lab):
    lab.run("last = ...")
    assert labkit.check("00.1").status == "not attempted"
    lab.run("last = " + LAST.format(0))
    wrong = labkit.check("00.1")
    assert wrong.status == "wrong"
    assert "p0·d3 holds nothing; expected [0 1 2]" in wrong.text
    lab.run("last = " + LAST.format(-1))
    assert labkit.check("00.1").status == "right"
    assert "(2 tries)" in repr(labkit.progress())


def test_a_name_made_in_one_process_only(lab):
    lab.run("last = 1 if jax.process_index() else None")
    lab.run("del last", on=0)
    assert "missing in process 0" in labkit.check("00.1").text


def test_a_total_over_the_local_mesh_is_told_from_the_true_one(lab):
    lab.run(PSUM_OVER)
    lab.run("def total(mine):\n    ...")
    assert labkit.check("01.1").status == "not attempted"
    lab.run("def total(mine): return psum_over(Mesh(jax.local_devices(), ('i',)), P())(mine)")
    assert "process 0: found [12 16], expected [424 432]" in labkit.check("01.1").text
    build = "jax.make_array_from_process_local_data(sharding, mine)"
    lab.run(f"def total(mine): return psum_over(sharding.mesh, P())({build})")
    assert labkit.check("01.1").status == "right"


def test_a_total_that_no_process_can_read_is_an_error_in_jaxs_words(lab):
    build = "jax.make_array_from_process_local_data(sharding, mine)"
    lab.run(PSUM_OVER + f"def total(mine): return psum_over(sharding.mesh)({build})")
    card = labkit.check("01.1")
    assert card.status == "error"
    assert "non-addressable" in card.text


def test_finding_who_differs(lab):
    lab.run(DIFFERING.format("np.asarray(array)"))
    assert labkit.check("02.2").status == "right"
    # The gathered jax array is every process's own copy: all rows differ, or none does.
    lab.run(DIFFERING.format("array, tiled=True"))
    assert labkit.check("02.2").status == "wrong"


def test_copies_made_equal(lab):
    lab.run("here = NamedSharding(Mesh(jax.devices(), ('i',)), P())")
    made = "jax.make_array_from_process_local_data(here, {})"
    lab.run("a = " + made.format("np.full(3, jax.process_index())"))
    lab.run("same = a")
    assert "p1·d0: found [1 1 1], expected [0 0 0]" in labkit.check("02.1").text
    lab.run("same = " + made.format("multihost_utils.broadcast_one_to_all(np.asarray(a))"))
    assert labkit.check("02.1").status == "right"
    lab.run("same = np.zeros(3)")
    assert "an array of its own in each process" in labkit.check("02.1").text


def program(cell: str) -> str:
    """A cell of lesson 02 as it stands in the notebook."""
    cells = json.loads((ROOT / "notebooks" / "02_replicas_that_differ.ipynb").read_text())["cells"]
    return "".join(next(c["source"] for c in cells if c["id"] == cell)).removeprefix("%%spmd\n")


def mended(cell: str, wrong: str, right: str) -> str:
    assert wrong in program(cell)
    return program(cell).replace(wrong, right)


def test_parameters_that_start_apart(lab):
    lab.run(program("02-ex3-stub"))
    card = labkit.check("02.3")
    assert card.status == "wrong"
    assert "`[0]['w']` differs" in card.text
    assert "p0·d0" in card.text
    lab.run(mended("02-ex3-stub", "jax.random.normal(key, (3,))", "np.ones(3)"))
    assert "nothing is left to chance" in labkit.check("02.3").text
    sent = "multihost_utils.broadcast_one_to_all(jax.random.normal(key, (3,)))"
    lab.run(mended("02-ex3-stub", "jax.random.normal(key, (3,))", sent))
    assert labkit.check("02.3").status == "right"


def test_rows_that_are_dropped_by_another_mask(lab):
    cell = "02-ex4-stub"
    if len(lab.processes[0].devices) > 2:
        shape = "np.array(jax.devices()).reshape(2, 4)"
        lab.run(mended("02-ex4-data", "np.array(jax.devices()).reshape(2, 2)", shape))
    lab.run(program(cell))
    assert "differs" in labkit.check("02.4").text
    lab.run(mended(cell, "rows * keep", "rows"))
    assert "nothing is left to chance" in labkit.check("02.4").text
    lab.run(mended(cell, '.mean(0), "data")', '.mean(0), ("data", "model"))'))
    assert labkit.check("02.4").status == "right"


def test_a_mean_of_one_processs_rows(lab):
    lab.run(program("02-ex5-stub"))
    assert "p1·d0" in labkit.check("02.5").text
    lab.run(mended("02-ex5-stub", "mean_of_all(batch)", "7"))
    assert "found [6.125 6.125 6.125]" in labkit.check("02.5").text
    lab.run(mended("02-ex5-stub", "jax.local_devices()", "jax.devices()"))
    assert labkit.check("02.5").status == "right"


def test_a_truth_follows_what_the_processes_hold(lab):
    labkit.predict("01.a", ["p0: [12 16], p1: [44 48]"]).commit("p0: [12 16], p1: [44 48]")
    lab.run(PSUM_OVER + "y = psum_over(Mesh(jax.local_devices(), ('i',)))(x)")
    assert "As predicted" in labkit.predict("01.a").head
    lab.run("y = psum_over(sharding.mesh)(jax.make_array_from_process_local_data(sharding, x))")
    card = labkit.predict("01.a")
    assert "A surprise" in card.head
    assert "[56 64] everywhere" in card.text


def test_calls_are_measured_in_turn_and_each_begins_a_round(lab):
    lab.run("called = []")
    told = lab.measure("called.append('a')", "called.append('b')", rounds=3)
    assert lab.run("''.join(called)") == {0: "abab" + "abbaab", 1: "abab" + "abbaab"}
    assert [len(way.laps[1]) for way in told.ways] == [3, 3]


def test_what_takes_longer_is_told_from_what_does_not(lab):
    lab.run("import time")
    told = lab.measure("time.sleep(0.001)", "time.sleep(0.05 * jax.process_index())", rounds=5)
    short, long = told.ways
    assert min(long.laps[1]) >= 0.05 > max(long.laps[0])
    assert long.median >= 0.05  # of the slowest process
    assert long.apart(short)
    assert "times as long as time.sleep(0.001)." in repr(told)


def test_a_measured_call_that_fails_is_told_by_its_own_text(lab):
    with pytest.raises(labkit.ProcessError, match=r"measured, line 2: 1 / 0"):
        lab.measure("2 / 1", "1 / 0")
    with pytest.raises(labkit.LabError, match="was given nothing"):
        lab.measure()
    assert lab.state == "ready"


def test_a_total_that_all_add_up_and_one_prints(lab):
    lab.run(MEETING + LOG.format("..."))
    assert labkit.check("05.1").status == "not attempted"
    lab.run(LOG.format("print(result)"))
    # 1 + 2 + 3 + 4 on each process and 100 on each device of process 1; then ten times as much.
    assert "process 1: found 420 600, expected nothing printed" in labkit.check("05.1").text
    lab.run(LOG.format("if jax.process_index() == 0: print(result)"))
    assert labkit.check("05.1").status == "right"


def test_totals_in_the_order_in_which_they_came_are_wrong_though_nothing_marks_them(lab):
    lab.run(MEETING + "def totals(metrics):\n    ...")
    assert labkit.check("05.2").status == "not attempted"
    everyone = "def totals(metrics): return {{name: int(total(metrics[name])) for name in {}}}"
    lab.run(everyone.format("metrics"))
    assert labkit.check("05.2").status == "wrong"
    lab.run(everyone.format("sorted(metrics)"))
    assert labkit.check("05.2").status == "right"
    lab.run(everyone.format("sorted(metrics)[1:]"))
    assert "process 0 gives ['loss', 'norm', 'rate']" in labkit.check("05.2").text


OVER = """
mesh, grid = (Mesh(np.array(jax.devices()).reshape(shape), names)
              for shape, names in ((-1, ("i",)), ((2, -1), ("process", "device"))))
def over(f, mesh=mesh, spec=P("i")):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec))
def over_grid(f):
    return over(f, grid, P(("process", "device")))
"""


def tried(lab, exercise, source):
    lab.run(source)
    return labkit.check(exercise)


def test_a_psum_is_known_by_its_operations_and_not_by_its_numbers_alone(lab):
    assert labkit.check("03.1").status == "not attempted"
    lab.run(OVER)
    mine = "my_psum = over(lambda v: {})"
    assert tried(lab, "03.1", mine.format("v")).status == "not attempted"
    assert "p0·d0: found" in tried(lab, "03.1", mine.format("2 * v")).text
    assert "a `psum` in it" in tried(lab, "03.1", mine.format("jax.lax.psum(v, 'i')")).text
    gathered = "jax.lax.all_gather(v, 'i').sum(axis=0)"
    assert "not made by" in tried(lab, "03.1", mine.format(gathered)).text
    halves = "jax.lax.all_gather(jax.lax.psum_scatter(v, 'i', tiled=True), 'i', tiled=True)"
    assert tried(lab, "03.1", mine.format(halves)).status == "right"


def test_what_comes_from_the_next_device_is_told_from_a_ring_and_from_the_other_way(lab):
    lab.run(OVER)
    mine = "from_next = over(lambda v: jax.lax.ppermute(v, 'i', {}))"
    pairs = "[(n, (n + {}) % 8) for n in range(8)]"
    assert "p1·d3: found" in tried(lab, "03.2", mine.format(pairs.format(-1))).text
    assert "p0·d0: found" in tried(lab, "03.2", mine.format(pairs.format(1))).text
    assert tried(lab, "03.2", mine.format("[(n + 1, n) for n in range(7)]")).status == "right"


def test_a_matrix_is_transposed_without_any_device_seeing_it_whole(lab):
    lab.run(OVER)
    mine = "transpose = over(lambda v: {})"
    blocks = "jax.lax.all_to_all(v, 'i', split_axis=1, concat_axis=0, tiled=True)"
    assert "p0·d0: found" in tried(lab, "03.3", mine.format(blocks)).text  # and not turned
    assert tried(lab, "03.3", mine.format(f"{blocks}.T")).status == "right"
    at = "2 * jax.lax.axis_index('i')"
    whole = f"jax.lax.dynamic_slice_in_dim(jax.lax.all_gather(v, 'i', tiled=True), {at}, 2, 1).T"
    assert "sees the whole" in tried(lab, "03.3", mine.format(whole)).text


def test_a_mean_across_processes_is_told_from_one_within(lab):
    lab.run(OVER)
    mine = "mean_across = over_grid(lambda v: jax.lax.pmean(v, {}))"
    assert tried(lab, "03.4", mine.format("'process'")).status == "right"
    for axes in ("'device'", "('process', 'device')"):
        assert tried(lab, "03.4", mine.format(axes)).status == "wrong"


def test_a_recorded_attempt_that_only_one_process_makes_is_never_right(lab):
    lab.run(OVER)
    alone = "my_psum = over(lambda v: jax.lax.psum(v, 'i')) if jax.process_index() else np.sum"
    assert tried(lab, "03.1", alone).status in ("error", "hung")


SHARE = """
def share(array):
    over = dict(mesh={mesh}, in_specs=P("i"), out_specs=P("i"))
    return jax.jit(jax.shard_map(lambda v: v / {total}, **over))({array})
"""


def test_a_share_of_the_whole_is_told_from_that_of_a_device_and_of_a_process(lab):
    lab.run("def share(array):\n    ...")
    assert labkit.check("04.1").status == "not attempted"
    every = {"mesh": "array.sharding.mesh", "array": "array"}
    lab.run(SHARE.format(total="v.sum()", **every))
    assert "p0·d0: found [0.25 0.75]" in labkit.check("04.1").text
    own = "np.concatenate([s.data for s in array.addressable_shards])"
    local = {"mesh": "Mesh(jax.local_devices(), ('i',))", "array": own}
    lab.run(SHARE.format(total="jax.lax.psum(v.sum(), 'i')", **local))
    assert "p0·d0: found" in labkit.check("04.1").text
    lab.run(SHARE.format(total="jax.lax.psum(v.sum(), 'i')", **every))
    assert labkit.check("04.1").status == "right"
    lab.run("def share(array): return np.ones(8)")
    assert "gets `ndarray`, expected an array over all devices" in labkit.check("04.1").text


def test_scaling_by_the_largest_of_all_leaves_the_array_cut(lab):
    assert labkit.check("04.2").status == "not attempted"
    lab.run("scale = jax.jit(lambda array: array / array.max(), out_shardings=None)")
    assert labkit.check("04.2").status == "right"
    lab.run("scale = jax.jit(lambda array: array / 2)")
    assert labkit.check("04.2").status == "wrong"
    everywhere = "NamedSharding(Mesh(jax.devices(), ('i',)), P())"
    lab.run(f"scale = jax.jit(lambda array: array / array.max(), out_shardings={everywhere})")
    assert labkit.check("04.2").status == "wrong"  # a copy of all of it on each device


def test_which_call_is_faster_is_read_from_the_cell_that_measured(lab):
    lab.run("import time")
    calls = [f"time.sleep({seconds})" for seconds in (0.02, 0.001, 0.02)]
    lab.measure(*calls, rounds=3)
    assert "shard_map" in labkit.predict("04.c").text
    lab.measure(*calls[::2], rounds=3)
    assert "about as long" in labkit.predict("04.d").text
    assert "No answer" in labkit.predict("04.c").head  # two calls are no answer for three


def test_what_happens_in_another_order_is_read_from_the_numbers(lab):
    lab.run(MEETING + "s, m = total(x), largest(x)")
    assert "28 and 7, as before" in labkit.predict("05.b").text
    first = "if jax.process_index() == 0: s = total(x); m = largest(x)"
    assert not lab.run(f"{first}\nelse: m = largest(x); s = total(x)").trusted
    assert "wrong numbers, and no error" in labkit.predict("05.b").text
    assert labkit.check("05.1").status == "hung"  # whatever it printed could not be believed
    lab.reset()
    assert "No answer" in labkit.predict("05.b").head


def test_a_log_that_one_process_alone_adds_up_is_hung(lab):
    lab.run(MEETING + "def log_total(array):\n    if jax.process_index() == 0: print(total(array))")
    assert labkit.check("05.1").status == "hung"
    assert "it waits" in labkit.predict("05.a").text
    lab.reset()
    assert labkit.check("05.1").status == "not attempted"
    assert "No answer" in labkit.predict("05.a").head
    lab.run("print(7)")
    assert "it prints 7" in labkit.predict("05.a").text


def test_a_collective_that_one_process_alone_calls_is_hung_until_a_reset(lab):
    lab.run(
        PSUM_OVER + "def total(mine):\n"
        "    g = jax.make_array_from_process_local_data(sharding, mine)\n"
        "    return psum_over(sharding.mesh, P())(g) if jax.process_index() == 0 else mine[:2]"
    )
    card = labkit.check("01.1")
    assert card.status == "hung"
    assert "lab.reset()" in card.text
    assert labkit.check("00.1").status == "hung"  # the lab is unsafe: nothing more is believed
    lab.reset()
    assert labkit.check("01.1").status == "not attempted"  # the function went with the reset


@pytest.fixture
def loading(lab):
    lab.run(LOADING.format(str(rows.write(lab.folder, "numbers", 24))))


def test_rows_needed_once_each_and_on_any_mesh(lab, loading):
    lab.run("def rows_needed(sharding, batch): ...")
    assert labkit.check("06.1").status == "not attempted"
    lab.run(
        "def rows_needed(sharding, batch): return [r for n in needs(sharding, batch) for r in n]"
    )
    assert "found [0 1 2 3 ... 2 3 4 5]" in labkit.check("06.1").text  # once for each device
    lab.run(
        "def rows_needed(sharding, batch):\n"
        "    each = batch // jax.process_count()\n"
        "    return list(range(batch))[each * jax.process_index():][:each]"
    )
    card = labkit.check("06.1")
    assert "With the data axis the other way:" in card.text
    assert "process 1: found [6 7 8 9 10 11], expected [0 1 2 3 4 5 6" in card.text
    lab.run(
        "def rows_needed(sharding, batch):\n"
        "    return sorted({row for rows in needs(sharding, batch) for row in rows})"
    )
    assert labkit.check("06.1").status == "right"


def test_a_batch_is_loaded_with_no_row_read_twice(lab, loading):
    lab.run("def load_batch(data, sharding, batch): ...")
    assert labkit.check("06.2").status == "not attempted"
    load = "def load_batch(data, sharding, batch): return made(data[{}], sharding, batch)"
    lab.run(load.format("np.unique(needs(sharding, batch)) * 0"))
    assert "(first columns)" in labkit.check("06.2").text
    lab.run(load.format(":batch][np.unique(needs(sharding, batch))"))
    assert "(rows read)" in labkit.check("06.2").text  # the right array, and everything was read
    lab.run(load.format("np.unique(needs(sharding, batch))"))
    assert labkit.check("06.2").status == "right"


def test_a_shuffled_epoch_has_every_row_once_and_equal_copies(lab, loading):
    lab.run(
        "def shuffled(data, sharding, batch, start, seed):\n"
        "    rng = np.random.default_rng(seed)\n"
        "    order = np.arange(24) if seed is None else rng.permutation(24)\n"
        "    own = order[start:][np.unique(needs(sharding, batch))]\n"
        "    return made(data[own], sharding, batch)"
    )
    mend = (
        "def shuffled_batch(data, sharding, batch, step):\n"
        "    return shuffled(data, sharding, batch, {}, {})"
    )
    lab.run(mend.format("0", "jax.process_index()"))  # as the lesson gives it
    assert "of the file come more than once" in labkit.check("06.3").text
    lab.run(mend.format("batch * step", "jax.process_index()"))
    assert labkit.check("06.3").status == "wrong"
    lab.run(mend.format("0", "0"))
    assert "never" in labkit.check("06.3").text
    lab.run(mend.format("batch * step", "None"))
    assert "it was to be shuffled" in labkit.check("06.3").text
    lab.run(mend.format("batch * step", "3"))
    assert labkit.check("06.3").status == "right"
