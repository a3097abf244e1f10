import numpy as np
import pytest

from labkit import facts
from labkit.analysis import arrays


def mesh(*devices, kind="Auto"):
    return {
        "kind": "mesh",
        "axis_names": ("i",),
        "shape": (len(devices),),
        "devices": devices,
        "axis_types": (kind,),
    }


def shard(device, value, start=0, digest=""):
    value = np.asarray(value)
    return {
        "device": device,
        "index": ((start, start + len(value)),),
        "shape": value.shape,
        "value": value,
        "complete": True,
        "digest": digest,
        "replica": 0,
    }


def array(*shards, owners=(0,), **other):
    told = {
        "kind": "array",
        "shape": (8,),
        "dtype": "int32",
        "shards": shards,
        "spec": ("i",),
        "mesh": mesh("p0·d0", "p1·d0"),
        "spans": len(owners) > 1,
        "owners": owners,
        "replicated": False,
        "where": "device",
        "deleted": False,
    }
    return told | other


def thing(text, kind="int", digest=""):
    return {"kind": "thing", "type": kind, "text": text, "digest": digest or text}


def devices_of(view):
    return [shard.device for shard in view.value.shards]


def test_a_process_is_the_fact_of_what_it_said():
    told = arrays.process(
        {
            "index": 1,
            "count": 2,
            "devices": ((1, 0, 2048, "cpu"), (1, 1, 2049, "cpu")),
            "global_devices": 4,
            "host": "here",
            "pid": 77,
            "versions": (("jax", "1"),),
        }
    )
    assert [device.label for device in told.devices] == ["p1·d0", "p1·d1"]
    assert told.devices[1] == facts.Device(1, 1, 2049, "cpu")
    assert (told.index, told.count, told.global_devices, told.pid) == (1, 2, 4, 77)


def test_one_array_over_two_processes_is_one_view_with_all_shards():
    x = arrays.variable(
        "x",
        {
            1: array(shard("p1·d0", [4, 5], 4), owners=(0, 1)),
            0: array(shard("p0·d0", [0, 1], 0), owners=(0, 1)),
        },
    )
    (view,) = x.views
    assert view.processes == (0, 1)
    assert devices_of(view) == ["p0·d0", "p1·d0"]
    assert view.value.shards[1].index == ((4, 6),)
    assert view.value.shards[1].value.tolist() == [4, 5]
    assert view.value.mesh == facts.Mesh(("i",), (2,), ("p0·d0", "p1·d0"), ("Auto",))
    assert view.value.spans
    assert x.missing == ()


def test_arrays_of_their_own_are_one_view_each_though_they_look_alike():
    told = {p: array(shard(f"p{p}·d0", [1]), owners=(p,), mesh=None, spec=None) for p in (0, 1)}
    x = arrays.variable("x", told)
    assert [view.processes for view in x.views] == [(0,), (1,)]
    assert [devices_of(view) for view in x.views] == [["p0·d0"], ["p1·d0"]]


def test_an_array_on_one_process_that_another_knows_too_is_one_view():
    x = arrays.variable("x", {0: array(shard("p0·d0", [1])), 1: array()})
    (view,) = x.views
    assert view.processes == (0, 1)
    assert devices_of(view) == ["p0·d0"]
    assert not view.value.spans


@pytest.mark.parametrize(
    "other",
    [
        {"shape": (4,)},
        {"dtype": "float32"},
        {"spec": (None,)},
        {"mesh": mesh("p1·d0", "p0·d0")},
        {"mesh": None},
        {"replicated": True},
        {"deleted": True},
    ],
    ids=lambda other: next(iter(other)),
)
def test_spanning_arrays_that_are_described_differently_stay_apart(other):
    told = {0: array(owners=(0, 1)), 1: array(owners=(0, 1)) | other}
    assert [view.processes for view in arrays.variable("x", told).views] == [(0,), (1,)]


def test_shards_stand_in_order_of_number_not_of_letters():
    devices = ["p10·d0", "p2·d10", "p2·d9", "p0·host"]
    told = {0: array(*(shard(device, [0]) for device in devices))}
    (view,) = arrays.variable("x", told).views
    assert devices_of(view) == ["p0·host", "p2·d9", "p2·d10", "p10·d0"]


def test_equal_meshes_are_one_view_and_others_are_not():
    everyone, own = mesh("p0·d0", "p1·d0"), mesh("p1·d0")
    agreed = arrays.variable("mesh", {0: everyone, 1: everyone})
    assert [view.processes for view in agreed.views] == [(0, 1)]
    assert agreed.meshes[0].text == "Mesh(i: 2)"
    parted = arrays.variable("mesh", {0: everyone, 1: own})
    assert [view.processes for view in parted.views] == [(0,), (1,)]
    explicit = mesh("p0·d0", "p1·d0", kind="Explicit")
    assert len(arrays.variable("mesh", {0: everyone, 1: explicit}).views) == 2


def test_equal_things_are_one_view_also_when_others_stand_between():
    told = {0: thing("3"), 1: thing("4"), 2: thing("3")}
    assert [view.processes for view in arrays.variable("n", told).views] == [(0, 2), (1,)]


def test_things_that_differ_where_the_text_was_cut_are_not_equal():
    told = {0: thing("a … b", digest="1"), 1: thing("a … b", digest="2")}
    assert len(arrays.variable("n", told).views) == 2


def test_a_name_can_stand_for_different_kinds_or_nothing():
    told = {0: thing("3"), 1: None, 2: array(owners=(2,)), 3: None}
    x = arrays.variable("x", told)
    assert x.name == "x"
    assert x.missing == (1, 3)
    assert [type(view.value) for view in x.views] == [facts.Thing, facts.Array]
    assert x.views[0].value == facts.Thing("int", "3")
    assert arrays.variable("x", {0: None, 1: None}).views == ()


def test_values_come_in_order_of_device_and_pass_over_who_has_none():
    told = {10: {"p10·d0": "c"}, 2: {"p2·d1": "b", "p2·d0": "a"}, 3: None}
    assert list(arrays.values(told).items()) == [("p2·d0", "a"), ("p2·d1", "b"), ("p10·d0", "c")]


def test_decode_gives_back_what_was_tagged():
    inside = [("is", 1), ("tuple", [("is", "a"), ("set", [("is", 2)])])]
    tagged = ("dict", [(("is", "k"), ("list", inside)), (("is", 3), ("frozenset", []))])
    assert arrays.decode(tagged) == {"k": [1, ("a", {2})], 3: frozenset()}


def test_decode_gives_facts_for_records_and_leaves_a_learners_dict_alone():
    assert arrays.decode(("fact", mesh("p0·d0"))) == facts.Mesh(("i",), (1,), ("p0·d0",), ("Auto",))
    decoded = arrays.decode(("fact", array(shard("p1·d0", [7]), owners=(0, 1))))
    assert decoded.shards[0].value.tolist() == [7]
    assert arrays.decode(("fact", thing("f"))) == facts.Thing("int", "f")
    own = ("dict", [(("is", "kind"), ("is", "array"))])
    assert arrays.decode(own) == {"kind": "array"}
