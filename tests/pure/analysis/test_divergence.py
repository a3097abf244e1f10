"""Where copies that differ go, in recordings written by hand."""

from dataclasses import replace

import numpy as np
import pytest

from labkit import draw
from labkit.analysis.divergence import descent, marked
from labkit.display.drawn import descent as drawn_descent
from labkit.facts import Collective, Mesh, Recording, Source, Step, Value, Within
from tests.pure.made import processes

LAB = processes(2, 2)
DEVICES = [device.label for process in LAB for device in process.devices]
GRID = Mesh(("model", "data"), (2, 2), tuple(DEVICES))
ROWS = (("p0·d0", "p0·d1"), ("p1·d0", "p1·d1"))
COLUMNS = (("p0·d0", "p1·d0"), ("p0·d1", "p1·d1"))
EVERYWHERE = dict.fromkeys(DEVICES, ((0, 1),))
APART = {d: ((n, n + 1),) for n, d in enumerate(DEVICES)}


def value(name, *numbers, index=None, **more):
    held = {d: np.array([n]) for d, n in zip(DEVICES, numbers, strict=True)}
    digests = {device: str(one) for device, one in held.items()}
    varies = () if len(set(numbers)) == 1 else ("model",)
    about = {"index": index or {}, "digests": digests, "varies": varies} | more
    return Value(name, (1,), "int64", held, **about)


W = value("w", 1, 1, 2, 2, index=EVERYWHERE)
X = value("x", 5, 6, 7, 8, index=APART)


def step(number, op, reads, gives, collective=None, mesh=GRID, **more):
    where = Source("cell 1", number + 1)
    return Step(number, op, where, tuple(reads), tuple(gives), collective, mesh=mesh, **more)


def recorded(*steps, arguments=(W, X), results=(), compiled=()):
    return Recording(
        "f(w, x)", "", "", 1, steps, arguments, results, compiled=compiled, processes=LAB
    )


def versions(recording):
    """Step and value → device → the copies it descends from."""
    return {(t.step.number, t.value.name): t.versions for t in descent(recording).traces}


def by_process(first, second):
    return {d: (first if d.startswith("p0") else second) for d in DEVICES}


class TestOrigins:
    def test_copies_of_an_argument_that_differ(self):
        (origin,) = descent(recorded()).origins
        assert (origin.value, origin.step) == (W, -1)
        assert origin.versions == by_process(("w",), ("w′",))

    def test_other_slices_are_no_copies(self):
        assert descent(recorded(arguments=(X,))).origins == ()

    def test_only_devices_of_the_slice_that_differs_have_a_copy_of_it(self):
        halves = {d: ((n % 2, n % 2 + 1),) for n, d in enumerate(DEVICES)}
        (origin,) = descent(recorded(arguments=(value("w", 1, 2, 1, 3, index=halves),))).origins
        assert origin.versions == {"p0·d1": ("w",), "p1·d1": ("w′",)}

    def test_what_each_process_has_for_itself_is_no_copy(self):
        assert descent(recorded(arguments=(replace(W, own=True),))).origins == ()

    def test_a_value_that_claims_copies_it_does_not_have_is_where_it_begins(self):
        made = value("s", 1, 2, 3, 4, index=EVERYWHERE)
        later = value("t", 2, 4, 6, 8, index=EVERYWHERE)
        steps = (
            step(0, "shard_map", [X], [made], mesh=None),
            step(1, "mul", [made], [later], mesh=None),
        )
        found = descent(recorded(*steps, arguments=(X,)))
        assert [(origin.value.name, origin.step) for origin in found.origins] == [("s", 0)]
        assert dict(found.traces[0].versions)["p1·d1"] == ("s‴",)


class TestSteps:
    def test_a_device_works_with_its_own_copy(self):
        made = value("v", 6, 7, 9, 10)
        assert versions(recorded(step(0, "add", [W, X], [made]))) == {
            (0, "v"): by_process(("w",), ("w′",))
        }

    def test_what_reads_none_of_them_has_no_trace(self):
        assert versions(recorded(step(0, "neg", [X], [value("v", -5, -6, -7, -8)]))) == {}

    def test_a_collective_within_equal_copies_keeps_them_apart(self):
        psum = Collective("psum", ("data",), ROWS)
        made = value("v", 2, 2, 4, 4)
        (trace,) = descent(recorded(step(0, "psum", [W], [made], psum))).traces
        assert trace.versions == by_process(("w",), ("w′",))
        assert not trace.mixed
        assert not trace.hidden

    def test_a_collective_over_other_copies_brings_them_together_and_hides_them(self):
        psum = Collective("psum", ("model",), COLUMNS)
        (trace,) = descent(recorded(step(0, "psum", [W], [value("v", 3, 3, 3, 3)], psum))).traces
        assert trace.versions == dict.fromkeys(DEVICES, ("w", "w′"))
        assert trace.mixed
        assert trace.hidden

    def test_in_a_permutation_each_has_what_it_was_sent(self):
        sends = (("p0·d0", "p1·d1"),)
        collective = Collective("ppermute", ("model",), (tuple(DEVICES),), sends)
        found = versions(recorded(step(0, "ppermute", [W], [value("v", 0, 0, 0, 1)], collective)))
        assert found == {(0, "v"): {"p1·d1": ("w",)}}

    def test_where_it_did_not_run_nothing_descends(self):
        made = value("v", 1, 1, 0, 0)
        found = versions(recorded(step(0, "mul", [W], [made], skipped=ROWS[1])))
        assert found == {(0, "v"): dict.fromkeys(ROWS[0], ("w",))}

    def test_a_result_of_slices_hides_that_no_one_copy_explains_it(self):
        made = value("v", 6, 7, 9, 10, index=APART)
        found = descent(recorded(step(0, "add", [W, X], [made], mesh=None), results=(made,)))
        assert found.traces[0].hidden
        assert found.results == ("v",)
        assert "no comparison of copies finds that" in repr(drawn_descent(found, LAB))


class TestStructures:
    def test_the_argument_of_a_body_is_known_by_its_bytes(self):
        inner = value("w", 1, 1, 2, 2)
        assert versions(recorded(step(0, "neg", [inner], [value("v", -1, -1, -2, -2)]))) == {
            (0, "v"): by_process(("w",), ("w′",))
        }

    def test_what_comes_out_of_a_shard_map_is_known_by_its_bytes(self):
        psum = Collective("psum", ("model",), COLUMNS)
        inner, own = value("v0", 3, 3, 3, 3), value("v1", -1, -1, -2, -2)
        out = value("v2", 3, 3, 3, 3, index=EVERYWHERE)
        steps = (
            step(0, "psum", [W], [inner], psum),
            step(1, "neg", [W], [own]),
            step(2, "shard_map", [W], [out], mesh=None),
        )
        assert versions(recorded(*steps))[2, "v2"] == dict.fromkeys(DEVICES, ("w", "w′"))

    def test_what_a_loop_stacks_descends_from_all_that_was_made_in_it(self):
        psum = Collective("psum", ("model",), COLUMNS)
        turn = {"within": (Within("scan", "", 0, 0),)}
        steps = (
            step(0, "psum", [W], [value("v0", 3, 3, 3, 3)], psum, **turn),
            step(1, "scan", [W], [value("v1", 33, 33, 33, 33)]),
        )
        assert versions(recorded(*steps))[1, "v1"] == dict.fromkeys(DEVICES, ("w", "w′"))


class TestCompiler:
    def test_its_collective_joins_whom_the_program_says(self):
        reduce = Collective("all-reduce", (), COLUMNS, by="compiler", source=Source("cell 1", 1))
        made = value("v", 3, 3, 3, 3, index=EVERYWHERE)
        one = step(0, "reduce_sum", [W], [made], mesh=None)
        found = versions(recorded(one, compiled=(reduce,)))
        assert found[0, "v"] == dict.fromkeys(DEVICES, ("w", "w′"))
        elsewhere = replace(reduce, source=Source("cell 1", 9))
        assert versions(recorded(one, compiled=(elsewhere,)))[0, "v"]["p0·d0"] == ("w",)

    def test_where_it_does_not_say_equal_copies_are_of_one_exchange(self):
        unknown = Collective("all-reduce", by="compiler", source=Source("cell 1", 1))
        made = value("v", 11, 11, 30, 30, index=EVERYWHERE)
        found = versions(recorded(step(0, "dot", [W, X], [made], mesh=None), compiled=(unknown,)))
        assert found[0, "v"] == by_process(("w",), ("w′",))


class TestMarks:
    def test_steps_say_it_in_their_notes(self):
        made = value("v", 6, 7, 9, 10)
        steps = (
            step(0, "add", [W, X], [made], note="one"),
            step(1, "neg", [X], [value("u", 1, 2, 3, 4)]),
        )
        first, second = marked(recorded(*steps)).steps
        assert first.note == "one\nv descends from w on p0·d0 p0·d1, from w′ on p1·d0 p1·d1"
        assert second.note == ""

    def test_values_are_marked_wherever_they_stand_and_stay_the_same(self):
        made = value("v", 6, 7, 9, 10)
        steps = step(0, "add", [W, X], [made]), step(1, "neg", [made], [value("u", 0, 1, 2, 3)])
        found = marked(recorded(*steps, results=(made,)))
        given, read = found.steps[0].gives[0], found.steps[1].reads[0]
        assert given is read is found.results[0]
        assert given.descends == by_process(("w",), ("w′",))
        assert found.arguments[0].descends == by_process(("w",), ("w′",))
        assert found.arguments[1] is X
        told = [dict(trace.versions) for trace in descent(found).traces]
        assert told == [dict(trace.versions) for trace in descent(recorded(*steps)).traces]

    def test_a_recording_without_differences_is_as_it_was(self):
        plain = recorded(step(0, "neg", [X], [value("v", -5, -6, -7, -8)]), arguments=(X,))
        assert marked(plain) is plain

    def test_in_the_picture_of_a_step_each_card_says_which_copy(self):
        run = marked(recorded(step(0, "add", [W, X], [value("v", 6, 7, 9, 10)])))
        svg = draw.step(run.steps[0], LAB).svg
        assert svg.count(">w′</text>") == 2 * 2  # w and v on two devices
        assert svg.count('class="lk-hatch"') == 2 * 2


class TestPicture:
    def drawn(self, length=1):
        psum = Collective("psum", ("model",), COLUMNS)
        chain = [value(f"v{n}", n, n, n + 1, n + 1) for n in range(length)]
        steps = [step(n, "neg", [chain[n - 1] if n else W], [v]) for n, v in enumerate(chain)]
        both = value("both", 3, 3, 3, 3)
        steps.append(step(length, "psum", [chain[-1]], [both], psum))
        return drawn_descent(descent(recorded(*steps, results=(both,))), LAB)

    def test_each_device_has_the_mark_of_its_copy(self):
        svg = self.drawn().picture().svg
        assert svg.count(">w</text>") == 2 * 2 + 1  # and the name of the argument
        assert svg.count(">w′</text>") == 2 * 2
        assert svg.count(">w w′</text>") == 4
        assert "brings copies together" in svg

    def test_it_is_told_in_words(self):
        text = repr(self.drawn())
        assert "the copies of w differ, and both descends from them" in text
        assert "v0 descends from w on p0·d0 p0·d1, from w′ on p1·d0 p1·d1" in text
        assert "both descends from w and w′ on p0·d0 p0·d1 p1·d0 p1·d1" in text

    def test_of_a_long_program_the_meeting_and_the_end_are_kept(self):
        svg = self.drawn(60).picture().svg
        assert "brings copies together" in svg
        assert "… 47 more values in the text form" in svg

    @pytest.mark.parametrize("devices", [1, 4, 8, 16])
    def test_it_fits_into_its_column(self, devices):
        lab = processes(2, devices)
        labels = [device.label for process in lab for device in process.devices]
        held = {d: np.array([n // devices]) for n, d in enumerate(labels)}
        about = {"digests": {d: str(v) for d, v in held.items()}}
        w = Value("weights", (1,), "int64", held, index=dict.fromkeys(labels, ((0, 1),)), **about)
        found = descent(Recording("f(weights)", arguments=(w,), processes=lab))
        svg = drawn_descent(found, lab).picture().svg
        assert float(svg.partition(' width="')[2].partition('"')[0]) <= 700

    def test_nothing_differs(self):
        assert repr(drawn_descent(descent(recorded(arguments=(X,))), LAB)) == (
            "f(w, x)  no copies differ"
        )
