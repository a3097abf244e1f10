from dataclasses import replace

import pytest

from labkit.analysis.timeline import timeline
from labkit.facts import Flight, Timeline
from tests.pure.flown import MS, NOON, TWO, bars, late, launch, many, own, swapped, unfinished
from tests.pure.made import processes


def works(found: Timeline, device: str):
    return next(lane.works for lane in found.lanes if lane.device == device)


def letters(found: Timeline, device: str) -> list[int | None]:
    return [work.collective for work in works(found, device)]


def test_there_is_a_lane_for_every_device_in_order_also_where_nothing_ran():
    found = timeline(late()[:1], processes(2, 2))
    assert [lane.device for lane in found.lanes] == ["p0·d0", "p0·d1", "p1·d0", "p1·d1"]
    assert works(found, "p1·d1") == ()
    assert found.notes == ("Process 1 did not run this cell.",)


def test_times_count_from_the_first_launch():
    found = timeline(late(by=1000, works=3), TWO)
    assert works(found, "p0·d0")[0].start == 0
    assert works(found, "p1·d0")[0].start == 1000 * MS
    assert found.length == 1003 * MS


def test_a_launch_before_the_first_operation_is_the_beginning():
    flight = late()[0]
    early = replace(flight, launches=(launch(TWO[0], 7, -20),))
    assert works(timeline([early], TWO), "p0·d0")[0].start == 20 * MS


class TestWaiting:
    def test_who_comes_early_waits_until_the_last_has_come(self):
        found = timeline(late(by=1000, works=3), TWO)
        waited = {lane.device: found.waited(lane.works[0]) for lane in found.lanes}
        assert waited == {"p0·d0": 1000 * MS, "p0·d1": 1000 * MS, "p1·d0": 0, "p1·d1": 0}
        (psum,) = found.collectives
        assert (psum.op, psum.complete, psum.last) == ("psum", 1000 * MS, "p1·d0")
        assert psum.devices == ("p0·d0", "p0·d1", "p1·d0", "p1·d1")
        assert (psum.line, psum.size) == (3, 4)

    def test_nobody_waits_in_what_is_no_collective(self):
        flight = Flight(0, (), bars(TWO[0], 1, "wrapped_add.3", 0, 5))
        found = timeline([flight], TWO)
        assert letters(found, "p0·d0") == [None]
        assert found.waited(works(found, "p0·d0")[0]) == 0
        assert found.collectives == ()

    def test_who_has_not_ended_and_met_nobody_waits_to_the_end(self):
        found = timeline(unfinished(), TWO)
        waits = works(found, "p0·d1")[1]
        assert waits.end is None
        assert found.waited(waits) == found.length - 31 * MS
        joined = found.collectives[waits.collective]
        assert (joined.devices, joined.size) == (("p0·d0", "p0·d1"), 4)

    def test_who_has_left_a_collective_that_others_come_to_later_did_not_wait_for_them(self):
        found = timeline(swapped(), TWO)
        assert [joined.apart for joined in found.collectives] == [True, True]
        assert {found.waited(w) for lane in found.lanes for w in lane.works} == {0}

    def test_clocks_that_differ_a_little_part_nobody(self):
        early, other = late(by=10, works=3)
        left = tuple(replace(bar, end=NOON + 10 * MS - 15_000) for bar in early.bars)
        assert not timeline([replace(early, bars=left), other], TWO).collectives[0].apart


class TestGroups:
    """A psum over one axis of a mesh of two: some devices join, others do not."""

    def flights(self, *groups: int) -> list[Flight]:
        """Process 1 comes 900 ms later; ``groups`` are those of the four devices in order."""
        found = []
        for flight in late(by=900, works=100):
            own = groups[2 * flight.process : 2 * flight.process + 2]
            joined = tuple(
                replace(b, group=g, size=2) for b, g in zip(flight.bars, own, strict=True)
            )
            found.append(replace(flight, bars=joined))
        return found

    def test_who_joins_devices_of_its_own_process_waits_for_no_other(self):
        found = timeline(self.flights(0, 0, 1, 1), TWO)
        assert letters(found, "p0·d1") == [0]
        assert letters(found, "p1·d1") == [1]
        assert {found.waited(lane.works[0]) for lane in found.lanes} == {0}
        assert [joined.size for joined in found.collectives] == [2, 2]

    def test_who_joins_a_device_of_another_process_waits_for_that(self):
        found = timeline(self.flights(0, 1, 0, 1), TWO)
        assert [joined.devices for joined in found.collectives] == [
            ("p0·d0", "p1·d0"),
            ("p0·d1", "p1·d1"),
        ]
        assert found.waited(works(found, "p0·d1")[0]) == 900 * MS

    def test_nobody_says_who_waits_where_the_groups_are_not_known(self):
        found = timeline(self.flights(-1, -1, -1, -1), TWO)
        assert {found.waited(lane.works[0]) for lane in found.lanes} == {0}
        assert not found.collectives[0].apart
        assert found.notes == (
            "Which devices psum joins is not known: who waited in it is not drawn.",
        )

    def test_in_a_permutation_a_device_waits_for_its_neighbour_alone(self):
        permuted = [
            replace(f, bars=tuple(replace(bar, op="ppermute.3") for bar in f.bars)) for f in late()
        ]
        found = timeline(permuted, TWO)
        assert letters(found, "p1·d0") == [0]
        assert found.waited(works(found, "p0·d0")[0]) == 0


class TestLinks:
    def test_the_ends_of_one_collective_have_one_number_on_all_devices(self):
        found = timeline(many(3), TWO)
        assert [letters(found, lane.device) for lane in found.lanes] == [[0, 1, 2]] * 4

    def test_swapped_collectives_have_their_numbers_in_other_orders(self):
        found = timeline(swapped(), TWO)
        assert letters(found, "p0·d0") == [0, 1]
        assert letters(found, "p1·d0") == [1, 0]

    def test_equal_programs_on_each_process_alone_are_not_one(self):
        found = timeline(own(), TWO)
        assert letters(found, "p0·d0") == letters(found, "p0·d1") == [0]
        assert letters(found, "p1·d0") == [1]

    def test_one_program_with_other_ids_in_each_process_is_paired_by_order(self):
        found = timeline(late(runs=(2072967581, -593215429)), TWO)
        assert letters(found, "p0·d0") == letters(found, "p1·d1") == [0]

    def test_different_collectives_in_one_place_are_not_paired(self):
        psum, other = late(runs=(1, 2))
        other = replace(other, bars=tuple(replace(bar, op="pmax.7") for bar in other.bars))
        found = timeline([psum, other], TWO)
        assert [joined.op for joined in found.collectives] == ["psum", "pmax"]

    def test_nothing_is_paired_by_order_where_one_process_launched_more(self):
        psum, other = late(runs=(1, 2))
        more = replace(other, launches=(*other.launches, launch(TWO[1], 3, 2000)))
        assert len(timeline([psum, more], TWO).collectives[0].devices) == 2

    def test_a_collective_in_a_loop_is_one_each_time(self):
        flights = [
            Flight(
                p.index,
                (launch(p, 5, 0),),
                sum((bars(p, 5, "ppermute.3", 5 * i, 5 * i + 4) for i in range(4)), ()),
            )
            for p in TWO
        ]
        found = timeline(flights, TWO)
        assert letters(found, "p1·d1") == [0, 1, 2, 3]
        cut = replace(flights[1], bars=flights[1].bars[2:])  # which of them is not there?
        assert all(len(c.devices) == 1 for c in timeline([flights[0], cut], TWO).collectives)


class TestMissed:
    def test_a_launch_without_operations_lasts_until_the_others_ended(self):
        early, other = late(by=3000, works=2)
        found = timeline([replace(early, bars=()), other], TWO)
        (work,) = works(found, "p0·d1")
        assert (work.op, work.start, work.end, work.seen) == ("psum", 0, 3002 * MS, False)
        assert found.waited(work) == 3000 * MS
        assert works(found, "p1·d1")[0].seen

    def test_it_begins_when_its_device_is_free(self):
        early, other = late(by=3000)
        first = launch(TWO[0], 5, -1), bars(TWO[0], 5, "fusion", -1, 600)
        early = Flight(0, (first[0], *early.launches), first[1])
        assert works(timeline([early, other], TWO), "p0·d0")[1].start == 601 * MS

    def test_without_others_it_has_no_end_and_no_more_than_its_programs_name(self):
        found = timeline([replace(late()[0], bars=())], TWO)
        (work,) = works(found, "p0·d0")
        assert (work.op, work.end, work.collective) == ("jit_step", None, None)

    def test_nothing_is_guessed_of_a_launch_on_some_of_a_processs_devices(self):
        some = replace(launch(TWO[0], 7, 0), devices=1)
        assert works(timeline([Flight(0, (some,))], TWO), "p0·d0") == ()


@pytest.mark.parametrize(("which", "words"), [("capped", "very many"), ("yielded", "made way")])
def test_what_the_recorder_did_not_see_is_said(which, words):
    found = timeline([replace(late()[0], **{which: True}), late()[1]], TWO)
    (note,) = found.notes
    assert note.startswith("Process 0 ")
    assert words in note


def test_a_recorder_that_was_read_meanwhile_is_told_of():
    early, other = late()
    (note,) = timeline([replace(early, gaps=((1, 2), (3, 4))), other], TWO).notes
    assert "(process 0 twice)" in note


def test_two_thousand_operations_are_all_there():
    found = timeline(many(500), TWO)
    assert sum(len(lane.works) for lane in found.lanes) == 2000
    assert len(found.collectives) == 500


def test_nothing_at_all_is_an_empty_timeline():
    assert timeline([Flight(0), Flight(1)], TWO).length == 0


def test_devices_beyond_ten_are_in_order_of_number():
    lab = processes(2, 12)
    flights = [
        Flight(p.index, (launch(p, 7, 0, size=24),), bars(p, 7, "psum.1", 0, 5)) for p in lab
    ]
    (joined,) = timeline(flights, lab).collectives
    assert joined.devices == tuple(d.label for p in lab for d in p.devices)
