"""The timeline of cells that real processes ran."""

import numpy as np
import pytest

import labkit

MS = 1_000_000
PROGRAM = """
import time
mesh = Mesh(jax.devices(), ("i",))
share = np.arange(4.0) + 4 * jax.process_index()
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("i")), share)
over = lambda reduce: jax.jit(
    jax.shard_map(lambda v: reduce(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P()))
total, largest = over(jax.lax.psum), over(jax.lax.pmax)
late = jax.process_index() == 1
total(x).block_until_ready()
"""
OWN, OTHER = [[f"p{p}·d{d}" for d in range(4)] for p in (0, 1)]


@pytest.fixture
def program(lab):
    lab.run(PROGRAM)


def works(found, device):
    return next(lane.works for lane in found.lanes if lane.device == device)


@pytest.mark.usefixtures("program")
class TestOneProcessLate:
    def test_the_others_devices_wait_for_it_in_the_psum(self, lab):
        lab.run("if late:\n    time.sleep(0.5)\ny = total(x)")
        drawn = lab.timeline()
        (psum,) = drawn.facts.collectives
        assert (psum.op, psum.line, psum.size) == ("psum", 3, 8)
        assert list(psum.devices) == OWN + OTHER
        assert psum.last in OTHER
        for device in OWN:
            waited = drawn.facts.waited(works(drawn.facts, device)[0])
            assert 250 * MS < waited < 2_000 * MS
        for device in OTHER:
            assert drawn.facts.waited(works(drawn.facts, device)[0]) < 250 * MS
        assert "p0·d0-d3 waited" in drawn.text
        assert "in psum (A, line 3) for process 1." in drawn.text

    def test_they_do_also_where_it_comes_so_late_that_the_recorder_is_read_meanwhile(self, lab):
        done = lab.run("if late:\n    time.sleep(2.5)\ny = total(x)\ny.addressable_data(0)")
        np.testing.assert_array_equal(done[0], [28])
        assert done.trusted, done.why
        found = lab.timeline().facts
        assert 2_300 * MS < found.waited(works(found, "p0·d0")[0]) < 5_000 * MS


@pytest.mark.usefixtures("program")
def test_devices_that_no_collective_joins_do_not_wait_for_each_other(lab):
    lab.run(
        'own = Mesh(np.array(jax.devices()).reshape(2, 4), ("process", "device"))\n'
        "z = jax.make_array_from_process_local_data(\n"
        '    NamedSharding(own, P(("process", "device"))), share)\n'
        'inner = jax.jit(jax.shard_map(lambda v: jax.lax.psum(v, "device"), mesh=own,\n'
        '    in_specs=P(("process", "device")), out_specs=P("process")))\n'
        "if late:\n    time.sleep(0.5)\n"
        "inner(z).block_until_ready()"
    )
    found = lab.timeline().facts
    assert [joined.devices for joined in found.collectives] == [tuple(OWN), tuple(OTHER)]
    assert [joined.size for joined in found.collectives] == [4, 4]
    for joined in found.collectives:
        assert joined.complete - min(joined.came) < 400 * MS


@pytest.mark.usefixtures("program")
def test_collectives_in_another_order_are_seen_not_to_meet(lab):
    done = lab.run(
        "if late:\n    a = largest(x)\n    b = total(x)\n"
        "else:\n    b = total(x)\n    a = largest(x)"
    )
    assert not done.trusted
    drawn = lab.timeline()
    orders = [[work.op for work in works(drawn.facts, device)] for device in ("p0·d0", "p1·d0")]
    assert orders == [["psum", "pmax"], ["pmax", "psum"]]
    assert any(joined.apart for joined in drawn.facts.collectives)
    assert "the processes ran their collectives in different orders" in drawn.text
    assert drawn.text.startswith("not to be trusted: the processes launched different programs")


@pytest.mark.usefixtures("program")
def test_a_window_shows_a_part(lab):
    lab.run("for _ in range(3):\n    total(x).block_until_ready()")
    assert "from 0 s to 1.0 ms" in lab.timeline(window=(0, 0.001)).text
    with pytest.raises(labkit.LabError, match="expected from when to when in seconds"):
        lab.timeline(window=(2, 1))


def test_a_cell_that_launched_nothing_has_an_empty_timeline(lab):
    lab.run("1 + 1")
    assert "p0·d0  nothing recorded" in lab.timeline().text


def test_a_profile_of_the_learners_own_goes_first(lab, tmp_path):
    lab.run(f"with jax.profiler.trace({str(tmp_path)!r} + str(jax.process_index())):\n    1 + 1")
    assert "Process 1 took a profile of its own, and the recorder made way" in lab.timeline().text


def test_without_a_cell_there_is_no_timeline(lab):
    lab.reset()
    with pytest.raises(labkit.LabError, match="No cell has run yet"):
        lab.timeline()


def test_one_program_has_one_id_in_all_processes_however_many_messages_were_sent(lab):
    # The number of a message stands in ipykernel's line that calls the cell; with the next one it
    # has a digit more, and the two processes get one message each.
    lab.client.session.message_count = 10**7 - 1
    lab.run(PROGRAM)
    first, other = (flight.launches[-1].run_id for flight in lab._cells.flights)
    assert first == other
