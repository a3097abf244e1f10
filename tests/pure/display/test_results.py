import numpy as np

from labkit import facts
from labkit.analysis.outputs import output, values
from labkit.display import results
from labkit.facts import Output


def is_(value):
    return {"value": ("is", value)}


def array(process: int, spans: bool = True) -> dict:
    """One process's record of an array over the devices of two processes, or of its own."""
    owners = (0, 1) if spans else (process,)
    index = ((2 * process, 2 * process + 2),) if spans else ((0, 2),)
    shard = {
        "device": f"p{process}·d0",
        "index": index,
        "shape": (2,),
        "replica": 0,
        "value": np.full(2, process),
        "complete": True,
        "digest": str(process),
    }
    return {
        "kind": "array",
        "shape": (4,) if spans else (2,),
        "dtype": "int32",
        "shards": (shard,),
        "spec": None,
        "mesh": None,
        "spans": spans,
        "owners": owners,
        "replicated": False,
        "where": "device",
        "deleted": False,
    }


def fact(record: dict) -> dict:
    return {"value": ("fact", record)}


class TestValues:
    def test_are_what_each_process_gave(self):
        records = {0: is_(3), 1: {"value": ("list", [("is", 1), ("is", "two")])}}
        assert values(records) == {0: 3, 1: [1, "two"]}

    def test_of_a_process_that_raised_are_none(self):
        assert values({0: is_(3), 1: {"value": None}}) == {0: 3, 1: None}

    def test_that_are_one_array_over_all_processes_have_the_shards_of_all(self):
        found = values({p: fact(array(p)) for p in (0, 1)})
        assert list(found) == [0, 1]
        for value in found.values():
            assert isinstance(value, facts.Array)
            assert [shard.device for shard in value.shards] == ["p0·d0", "p1·d0"]

    def test_that_are_arrays_of_each_process_alone_stay_apart(self):
        found = values({p: fact(array(p, spans=False)) for p in (0, 1)})
        for process, value in found.items():
            assert [shard.device for shard in value.shards] == [f"p{process}·d0"]

    def test_of_two_arrays_that_differ_are_not_merged(self):
        wide = {**array(1), "shape": (8,)}
        found = values({0: fact(array(0)), 1: fact(wide)})
        assert [found[p].shape for p in (0, 1)] == [(4,), (8,)]

    def test_come_in_order_of_process_whoever_agrees_with_whom(self):
        wide = {**array(1), "shape": (8,)}
        assert list(values({0: fact(array(0)), 1: fact(wide), 2: fact(array(1))})) == [
            0,
            1,
            2,
        ]


RECORD = {"result": {"text/plain": "3"}, "displays": [{"image/png": "..."}], "error": None}


class TestOutput:
    def test_of_a_process_that_still_runs_is_what_it_printed_and_does(self):
        assert output(1, None, "so far", "runs in line 2: x").status == "runs in line 2: x"
        assert output(1, None, "so far", "runs in line 2: x").text == "so far"

    def test_of_a_process_that_has_ended_has_result_and_displays(self):
        found = output(1, RECORD, "printed", "")
        assert (found.process, found.text, found.status) == (1, "printed", "")
        assert found.result == {"text/plain": "3"}
        assert found.displays == ({"image/png": "..."},)
        assert found.error is None

    def test_of_a_process_that_raised_has_the_failure(self):
        error = {"type": "ValueError", "message": "no", "lines": (("cell 1", 1, "x"),)}
        found = output(1, {**RECORD, "error": {**error, "traceback": "..."}}, "", "")
        assert found.error == facts.Failure(**error, traceback="...")


class TestResults:
    def test_are_a_mapping_from_process_to_value(self):
        found = results.Results({0: "a", 1: "b"}, ())
        assert dict(found) == {0: "a", 1: "b"}
        assert (len(found), found[1], 2 in found) == (2, "b", False)

    def test_are_trusted_unless_there_is_a_reason_not_to(self):
        assert results.Results({}, ()).trusted
        doubtful = results.Results({0: 1}, (), "out of step")
        assert not doubtful.trusted
        assert doubtful.why == "out of step"

    def test_say_in_their_repr_that_they_are_not_to_be_trusted(self):
        assert repr(results.Results({0: 1}, ())) == "Results({0: 1})"
        assert "not to be trusted: out of step" in repr(results.Results({0: 1}, (), "out of step"))

    def test_draw_the_columns_with_the_reason(self):
        outputs = (Output(0, "hello"), Output(1, "hello"))
        picture = results.Results({}, outputs, "out of step").picture()
        assert "hello" in picture.text
        assert "out of step" in picture.text
