"""What some processes run alone is looked at first; lines keep the numbers the learner sees."""

import pytest

from labkit import LabError, ProcessError

PREPARE = """
import labkit
mesh = Mesh(jax.devices(), ("i",))
x = jax.make_array_from_process_local_data(
    NamedSharding(mesh, P("i")), np.arange(4.0) + 4 * jax.process_index())
total = jax.jit(
    jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P()))
whole_sum = jax.jit(lambda v: v.sum())
more = jax.jit(lambda v: v + 1)
mine = jnp.arange(4)
"""


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("total(x)", "line 1: total(x) contains psum"),
        ("\nprint(total(x))", "line 2: total(x) contains psum"),
        ("whole_sum(x)", "whole_sum(x) contains all-reduce"),
        ("x.sum()", "x.sum() reduces an array that spans processes"),
        ("multihost_utils.process_allgather(mine)", "is a collective of all processes"),
        ("labkit.check_replicas(mine)", "is a collective of all processes"),
    ],
)
def test_a_cell_that_needs_the_others_is_refused_and_nothing_is_lost(lab, source, said):
    lab.run(PREPARE)
    with pytest.raises(LabError, match="Only process 0 would run this cell") as refused:
        lab.run(source, on=0)
    assert said in str(refused.value)
    assert "anyway=True" in str(refused.value)
    assert lab.state == "ready"


@pytest.mark.parametrize("source", ["more(x)", "mine.sum()", "total = max\ntotal(3, 4)", "1 + 1"])
def test_what_one_process_can_do_alone_is_run(lab, source):
    lab.run(PREPARE)
    assert lab.run(source, on=0).trusted
    assert lab.state == "ready"


def test_a_line_has_the_number_that_the_learner_sees(lab):
    with pytest.raises(ProcessError) as failed:
        lab.run("\n\n1 / 0")
    assert {line for f in failed.value.by_process.values() for _, line, _ in f.lines} == {3}


def test_the_log_holds_what_was_written_outside_python(lab):
    lab.run("import os\nos.write(2, b'from the depths')", on=1)
    assert "from the depths" in lab.log(1)
    assert "IPEngine" not in lab.log(1)
