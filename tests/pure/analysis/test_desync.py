"""What a process told, as facts; what several launched, compared."""

from labkit import facts
from labkit.analysis import desync, flight_recorder
from labkit.facts.hlo import COLLECTIVES


def told(groups: str, partitions: tuple[int, ...] = (2, 3)) -> dict:
    bars = [
        (place, "psum.7", "jit_f", 5, 10, 20, partition)
        for place, partition in enumerate(partitions)
    ]
    return {
        "launches": [("jit_f", 5, 3, 9, 4, 2)],
        "bars": bars,
        "modules": {5: 77},
        "joins": {77: {"psum.7": groups}} if groups else {},
        "capped": False,
        "yielded": False,
        "gaps": [(1, 2)],
    }


def test_devices_have_their_labels_and_launches_their_lines():
    found = flight_recorder.flight(1, told("{}"))
    assert [bar.device for bar in found.bars] == ["p1·d0", "p1·d1"]
    assert (found.launches[0].line, found.launches[0].spans) == (3, True)
    assert found.gaps == ((1, 2),)


def test_each_operation_has_its_devices_group():
    def grouped(*args):
        return [(bar.group, bar.size) for bar in flight_recorder.flight(1, told(*args)).bars]

    assert grouped("{}") == [(0, 4), (0, 4)]
    assert grouped("{{0,1},{2,3}}") == [(1, 2), (1, 2)]
    assert grouped("{{0,2},{1,3}}") == [(0, 2), (1, 2)]
    assert grouped("{{0,2},{1,3}}", (3, 0)) == [(1, 2), (0, 2)]  # a mesh in another order
    assert grouped("") == grouped("{}", (-1, -1)) == [(-1, 0), (-1, 0)]  # not known


def flight(process: int, *run_ids: int, gaps: tuple[tuple[int, int], ...] = ()) -> facts.Flight:
    """One launch every ten nanoseconds, in line 1, over all four devices."""
    launches = [facts.Launch("jit_f", n, 1, 10 * n, 4, 2) for n in run_ids]
    return facts.Flight(process, tuple(launches), gaps=gaps)


def parted(*seen: facts.Flight) -> str:
    return desync.parted(seen, 2, "f(x)")


def test_equal_launches_do_not_part():
    assert parted(flight(0, 1, 2, 3), flight(1, 1, 2, 3)) == ""


def test_another_order_parts_at_the_first_that_differs():
    swapped = facts.Flight(1, (*flight(1, 1).launches, *flight(1, 3, 2).launches))
    assert parted(flight(0, 1, 2, 3), swapped).count("jit_f in line 1: f(x)") == 2


def test_one_launch_fewer_parts():
    assert "process 1 had no more to launch" in parted(flight(0, 1, 2), flight(1, 1))


def test_a_program_over_some_processes_is_not_missed_in_the_others():
    def pair(process: int, *run_ids: int) -> facts.Flight:
        launches = [facts.Launch("jit_f", n, 1, 10 * n, 2, 1) for n in run_ids]
        return facts.Flight(process, tuple(launches))

    assert parted(pair(0, 1, 2), pair(1, 1, 2), flight(2)) == ""
    assert parted(pair(0, 1, 2), pair(1, 1, 3), pair(2, 2, 3)) == ""  # each with two partners
    assert parted(pair(0, 1, 2), pair(1, 2, 1), flight(2))
    assert parted(pair(0, 1), flight(1), flight(2))
    assert parted(pair(0, 1))  # the cell ran there alone


def test_a_program_of_one_process_is_its_own():
    own = facts.Flight(0, (facts.Launch("jit_f", 7, 1, 5, 2, 2), *flight(0, 1).launches))
    assert parted(own, flight(1, 1)) == ""


def test_launches_are_compared_by_the_names_they_are_given():
    def named(*names: str) -> str:
        told = dict(enumerate(name.split() for name in names))
        return desync.parted([flight(0, 1, 2), flight(1, 3, 4)], 2, "f(x)", told)

    assert named("a b", "a b") == named("a a", "a a") == ""
    assert named("a b", "b a")
    assert named("a b", "a c")


def test_launches_may_be_missing_where_the_recorder_was_read():
    assert parted(flight(0, 1, 2, 3), flight(1, 1, 3, gaps=((25, 26),))) == ""
    assert parted(flight(0, 1, 2, 3, 4), flight(1, 1, 4, gaps=((25, 36),))) == ""
    assert parted(flight(0, 1, 2), flight(1, 1, gaps=((25, 26),))) == ""
    assert parted(flight(0, 1, 2), flight(1, 1, 2, gaps=((15, 16),))) == ""  # and need not be
    # stopping takes its time: the first launch was still recorded, the second was not
    assert parted(flight(0, 1, 2, 3), flight(1, 1, 3, gaps=((5, 26),))) == ""


def test_recorders_that_were_read_at_different_moments_have_lost_different_launches():
    early, late = flight(0, 1, 2, 3, 5, 6, gaps=((35, 36),)), flight(1, 1, 2, 4, 5, 6)
    late = facts.Flight(1, late.launches, gaps=((25, 35),))
    assert parted(early, late) == parted(late, early) == ""


def test_they_may_be_missing_nowhere_else():
    assert parted(flight(0, 1, 2, 3), flight(1, 1, 3, gaps=((5, 6),)))
    assert parted(flight(0, 1, 2, 3), flight(1, 1, 3, gaps=((35, 36),)))
    assert parted(flight(0, 1, 2, 3, gaps=((15, 16),)), flight(1, 1, 3))


def test_another_order_is_seen_beside_a_missing_launch():
    swapped = facts.Flight(1, (*flight(1, 2).launches, *flight(1, 1).launches), gaps=((25, 26),))
    assert parted(flight(0, 1, 2, 3), swapped)


def test_a_collective_is_one_by_the_compilers_name_by_jaxs_and_with_a_number():
    written = ["psum_invariant.7", "pmean", "ppermute.2", "psum_scatter", "all_gather_invariant.1"]
    compiled = [*COLLECTIVES, *(f"{name}.3.1" for name in COLLECTIVES)]
    lowered = [name.replace("-", "_") for name in compiled]
    assert all(map(flight_recorder.is_collective, [*written, *compiled, *lowered]))
    for op in ("copy", "fusion.3", "broadcast_in_dim", "all_finite", "reduce_sum", "gather"):
        assert not flight_recorder.is_collective(op)
