"""What processes told of a program, merged; the names of its values; what a recording answers."""

import numpy as np
import pytest

import labkit
from labkit import facts
from labkit.analysis import value_names
from labkit.analysis.recording import of_records
from labkit.display.recording import Recording
from tests.pure import recorded
from tests.pure.made import processes

LINE = ("cell 1", 2, "    w = v * 2", (8, 13))
MESH = {"kind": "mesh", "axis_names": ("x", "y"), "shape": (2, 2), "axis_types": ("Auto", "Auto")}
DEVICES = ("p0·d0", "p0·d1", "p1·d0", "p1·d1")


def step(key, op="mul", **more):
    told = {"reads": ((0,),), "gives": ((1,),), "source": LINE, "collective": None, "within": ()}
    told |= {"quiet": False, "skipped": (), "note": "", "mesh": 0, "backward": False}
    return {"key": key, "op": op} | told | more


def value(held, digests=None, **more):
    digests = digests or {device: str(number) for device, number in held.items()}
    held = {device: np.float32(number) for device, number in held.items()}
    told = {"shape": (), "dtype": "float32", "spec": None, "mesh": 0, "index": {}}
    return told | {"held": held, "digests": digests, "complete": True} | more


def record(steps, values, **more):
    told = {"names": {0: "x"}, "made_from": {}, "arguments": ((0,),), "results": ((1,),)}
    told |= {"meshes": [MESH | {"devices": DEVICES}], "agreement": (True, 0.0, 4.0), "notes": ()}
    told |= {"compiled": {"text": "", "devices": DEVICES}, "text": ("cell 1", "a\nb\n", 1)}
    return {"steps": steps, "values": values} | told | more


def both(steps=None, **more):
    """Two processes with two devices each: x is 0 to 3, and twice that along y only."""
    made = {}
    for p in range(2):
        x = value({f"p{p}·d{d}": 2 * p + d for d in range(2)})
        w = value({f"p{p}·d{d}": 2 * p for d in range(2)})
        told = steps if steps is not None else [step((0,))]
        made[p] = record(told, {(0,): x, (1,): w}, **more)
    return made


def test_values_of_all_processes_are_one_value():
    found = of_records(both(), "f(x)", processes(2, 2))
    (only,) = found.steps
    assert only.inputs["x"] == {device: n for n, device in enumerate(DEVICES)}
    assert list(only.gives[0].held) == list(DEVICES)
    assert (only.gives[0].equal, only.gives[0].varies) == (("y",), ("x",))
    assert found.arguments[0] is only.reads[0]
    assert found.results[0] is only.gives[0]
    assert only.mesh.devices == DEVICES


def test_steps_are_in_the_order_of_their_keys_and_know_where_their_loop_began():
    inner = [step((1, t, n), within=(("scan", "", 1),)) for t in (1, 0) for n in (1, 0)]
    found = of_records(both([step((2,)), *inner, step((0,))]), "f(x)", ())
    assert [s.within[0].turn if s.within else None for s in found] == [None, 0, 0, 1, 1, None]
    assert {s.within[0].start for s in found if s.within} == {1}


def test_a_turn_only_one_process_made_is_skipped_on_the_devices_of_the_other():
    told = both([step((0, 0, 0))])
    told[1]["steps"] = [*told[1]["steps"], step((0, 1, 0), skipped=("p1·d1",))]
    found = of_records(told, "f(x)", ())
    assert found.steps[1].skipped == ("p0·d0", "p0·d1", "p1·d1")


def test_different_programs_are_refused():
    told = both()
    told[1]["steps"] = [step((0,), "add")]
    with pytest.raises(labkit.LabError, match="different programs: one step is mul in process 0"):
        of_records(told, "f(x)", ())


def test_meshes_of_each_processs_own_join_their_groups():
    told = both()
    for p, said in told.items():
        mine = (f"p{p}·d0", f"p{p}·d1")
        said["meshes"] = [MESH | {"axis_names": ("i",), "shape": (2,), "devices": mine}]
        joined = {"op": "psum", "axes": ("i",), "groups": (mine,), "sends": (), "bytes": 4}
        said["steps"] = [step((0,), "psum", collective=joined | {"moved": 4, "source": LINE})]
    (psum,) = of_records(told, "f(x)", ()).steps
    assert psum.collective.groups == (DEVICES[:2], DEVICES[2:])
    assert psum.exchange is psum.collective  # as older notebooks call it
    assert psum.gives[0].equal == ("i",)
    assert psum.mesh.devices == DEVICES[:2]


def test_what_was_not_hashed_is_neither_equal_nor_varies():
    told = both()
    for said in told.values():
        said["values"][1,] |= {"digests": dict.fromkeys(said["values"][1,]["held"], "")}
    made = of_records(told, "f(x)", ()).steps[0].gives[0]
    assert (made.equal, made.varies) == ((), ())


def test_the_worst_process_says_how_far_the_runs_agree():
    told = both()
    told[1]["agreement"] = (False, 0.5, 8.0)
    assert of_records(told, "f(x)", ()).agreement == facts.Agreement(False, 0.5, 8.0)
    told[0]["agreement"] = (False, float("nan"), 2.0)
    assert np.isnan(of_records(told, "f(x)", ()).agreement.largest)


def test_a_files_path_is_nobodys_business():
    told = both(text=("/models/model.py", "a\n", 7))
    for said in told.values():
        said["steps"] = [step((0,), source=("/models/model.py", 7, "a", (0, 1)))]
    found = of_records(told, "f(x)", ())
    assert (found.file, found.first, found.steps[0].source.file) == ("model.py", 7, "model.py")


@pytest.mark.parametrize(
    ("text", "part", "name"),
    [
        ("    w = v * 2", "v * 2", "w"),
        ("w = f(v) + 1", "f(v)", ""),
        ("    return v * 2", "v * 2", ""),
        ("a, b = f(v), v", "f(v)", ""),
        ("é = 'é' + v", "'é' + v", "é"),
        ("w += v * 2", "v * 2", ""),
        ("w = f(v,", "f(v,", ""),
    ],
)
def test_a_line_gives_its_name_to_all_that_stands_right_of_the_sign(text, part, name):
    start = text.index(part)
    assert value_names.target(text, (start, start + len(part))) == name


def named(*steps, own=None, made_from=None):
    return value_names.names(steps, own or {}, made_from or {}, [])


def test_only_a_lone_operation_takes_the_lines_name():
    assert named(step((0,)))[1] == "w"
    assert named(step((0,)), step((1,), gives=((2,),))) == {0: "v0", 1: "v1", 2: "v2"}
    assert named(step((0,), "convert_element_type"), step((1,), gives=((2,),)))[2] == "w"
    assert named(step((0,), backward=True))[1] == "v1"


def test_an_argument_and_each_devices_part_of_it_share_a_name_and_nothing_else_does():
    assert named(own={0: "x", 5: "x"}, made_from={5: 0}) == {0: "x", 5: "x"}
    assert named(own={0: "x", 5: "x"}) == {0: "x", 5: "x′"}
    assert named(step((0,)), own={0: "w"})[1] == "w′"
    assert named(step((0,), source=("", 0, "", (0, 0))), own={0: "v0"}) == {0: "v0", 1: "v1"}


@pytest.fixture
def psum():
    return Recording(**recorded.psum().__dict__)


def test_a_value_can_be_watched(psum):
    assert [step.op for step in psum.watch("v2")] == ["psum", "add"]
    with pytest.raises(labkit.LabError, match=r"No step has a value 'nobody'\. There are v, v1"):
        psum.watch("nobody")


def test_the_next_collective_is_found(psum):
    assert (psum.next_collective(), psum.next_collective(1)) == (1, None)


def test_two_recordings_part_where_values_or_operations_do(psum):
    assert psum.first_difference(recorded.psum()) is None
    shorter = Recording(**{**psum.__dict__, "steps": psum.steps[:2]})
    assert psum.first_difference(shorter) == 2
    last = facts.Step(**{**psum.steps[2].__dict__, "op": "sub"})
    assert psum.first_difference(Recording("g(x)", steps=(*psum.steps[:2], last))) == 2
    other = facts.Step(**{**psum.steps[1].__dict__, "gives": psum.steps[0].gives})
    assert psum.first_difference(Recording("g(x)", steps=(psum.steps[0], other))) == 1


def test_its_repr_is_a_sentence(psum):
    assert repr(psum) == (
        "Recording(f(x): 3 steps, 1 of them collectives; "
        "the recorded run equals a plain call, bit for bit)"
    )
    assert psum._repr_mimebundle_() == {"text/plain": repr(psum)}
