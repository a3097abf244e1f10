"""What the processes tell of what they hold, against plain numpy."""

import numpy as np
import pytest
import xxhash

from labkit import facts
from labkit.analysis import arrays
from tests.processes import harness
from tests.processes.cases import CASES, device_of, index_of, padded, place_of, whole

LOOKED_UP = ["state.x", 'params["w"]', "params['layers'][1]['b']", "params['layers'][-1]['b']"]
NOWHERE = ["nowhere", "state.nothing", "params['v']", "params['layers'][9]", "len"]
COMPUTED = ["state.broken", "own[0]", "own+1", "len(own)"]
NAMES = [
    *("grid", "own_mesh", "explicit", "own", "on_last", "over_own_mesh", "on_first_device"),
    *("diverged", "deleted", "key", "keys", "key_data", "host", "host_text", "objects", "masked"),
    *("scalar", "number", "unlike", "words", "nothing", "function", "tracer", "state"),
    *("only_first", *LOOKED_UP, *NOWHERE, *COMPUTED),
]
ARRAYS = [*CASES, "own", "on_last", "diverged", "keys", "key_data", "host", "nowhere"]
SIMPLE = (dict, list, tuple, str, bytes, int, float, complex, np.ndarray, np.generic, type(None))


def told():
    from tests.processes import holdings

    return holdings.told([*CASES, *NAMES], ARRAYS)


@pytest.fixture(scope="module", params=[2, 4], ids=["2x2", "2x4"])
def group(request):
    return Group(request.param, harness.run(told, processes=2, devices=request.param))


class Group:
    """What two processes told, merged as a client does."""

    def __init__(self, devices, answers):
        self.answers = answers
        self.sizes = (2, devices)
        self.labels = [facts.device_label(p, d) for p in range(2) for d in range(devices)]

    def variable(self, name):
        return arrays.variable(name, {p: said["records"][name] for p, said in self.told()})

    def one_each(self, name):
        """The array of each process's own, process 0's first."""
        variable = self.variable(name)
        assert [view.processes for view in variable.views] == [(0,), (1,)]
        assert len(variable.arrays) == 2
        return variable.arrays

    def values(self, name):
        return arrays.values({p: said["values"][name] for p, said in self.told()})

    def told(self):
        return enumerate(self.answers)

    def expected(self, case, label):
        return index_of(case, place_of(case, device_of(label), self.sizes), self.sizes)


def part(array, index):
    return array[tuple(slice(start, stop) for start, stop in index)]


def same(left, right):
    return left.dtype == right.dtype and left.shape == right.shape and bytes_of(left, right)


def bytes_of(left, right):
    return left.tobytes() == right.tobytes()


def types_in(value):
    yield type(value)
    inside = value.items() if isinstance(value, dict) else value
    for item in inside if isinstance(value, dict | list | tuple) else ():
        yield from types_in(item)


def test_processes_describe_themselves(group):
    for index, said in group.told():
        process = arrays.process(said["process"])
        assert (process.index, process.count) == (index, 2)
        assert [d.label for d in process.devices] == group.labels[index * group.sizes[1] :][
            : group.sizes[1]
        ]
        assert process.global_devices == len(group.labels)
        assert process.devices[0].id == (0, 2048)[index]
        assert process.devices[0].kind == "cpu"
        assert dict(process.versions)["numpy"] == np.__version__
    assert len({said["process"]["pid"] for said in group.answers}) == 2


@pytest.mark.parametrize("name", CASES)
def test_an_array_over_all_devices_is_told_as_numpy_has_it(group, name):
    case, full = CASES[name], whole(CASES[name])
    (view,) = group.variable(name).views
    array = view.value
    assert view.processes == (0, 1)
    assert (array.shape, array.dtype) == (case.shape, case.dtype)
    assert array.spec == case.spec
    assert array.spans
    assert array.replicated == (set(padded(case)) <= {None})
    assert [shard.device for shard in array.shards] == group.labels
    for shard in array.shards:
        index = group.expected(case, shard.device)
        held = part(full, index)
        assert shard.index == index
        assert shard.shape == held.shape
        assert shard.complete
        assert same(shard.value, held)
        assert shard.digest == xxhash.xxh3_128_hexdigest(held.tobytes())


@pytest.mark.parametrize("name", CASES)
def test_copies_of_a_slice_are_numbered(group, name):
    (array,) = group.variable(name).arrays
    for index in {shard.index for shard in array.shards}:
        replicas = [shard.replica for shard in array.shards if shard.index == index]
        assert sorted(replicas) == list(range(len(replicas)))


@pytest.mark.parametrize("name", CASES)
def test_values_are_what_each_device_holds(group, name):
    case, full = CASES[name], whole(CASES[name])
    values = group.values(name)
    assert list(values) == group.labels
    for label, value in values.items():
        assert same(value, part(full, group.expected(case, label)))


def test_a_mesh_is_one_if_all_believe_in_it(group):
    (view,) = group.variable("grid").views
    assert view.processes == (0, 1)
    assert view.value == facts.Mesh(("p", "d"), group.sizes, tuple(group.labels), ("Auto", "Auto"))
    (view,) = group.variable("explicit").views
    assert view.value.axis_types == ("Explicit",)
    assert group.variable("backwards0").arrays[0].mesh.devices == tuple(reversed(group.labels))


def test_local_meshes_are_one_each(group):
    views = group.variable("own_mesh").views
    assert [view.processes for view in views] == [(0,), (1,)]
    count = group.sizes[1]
    assert views[0].value.devices + views[1].value.devices == tuple(group.labels)
    assert views[1].value.shape == (count,)
    for process, array in enumerate(group.one_each("over_own_mesh")):
        assert not array.spans
        assert array.mesh == views[process].value
        values = [shard.value for shard in array.shards]
        assert np.array_equal(np.concatenate(values), np.arange(8))


def test_arrays_of_ones_own_stand_on_the_device_that_has_them(group):
    for process, array in enumerate(group.one_each("own")):
        assert [shard.device for shard in array.shards] == [f"p{process}·d0"]
        assert array.shards[0].value.tolist() == [10 * process + n for n in range(3)]
        assert array.spec is None
        assert array.mesh is None
        assert not array.spans
    last = group.sizes[1] - 1
    assert list(group.values("on_last")) == [f"p0·d{last}", f"p1·d{last}"]


def test_an_array_on_the_first_device_is_one_array_known_to_both(group):
    (view,) = group.variable("on_first_device").views
    assert view.processes == (0, 1)
    assert [shard.device for shard in view.value.shards] == ["p0·d0"]
    assert view.value.shards[0].value.tolist() == [0, 1, 2]


def test_copies_that_differ_are_told_as_they_are(group):
    (array,) = group.variable("diverged").arrays
    assert array.replicated
    for shard in array.shards:
        assert shard.value.tolist() == [device_of(shard.device)[0]] * 4
    digests = {shard.digest for shard in array.shards}
    assert len(digests) == 2
    assert "" not in digests


def test_a_deleted_array_has_no_shards(group):
    for array in group.one_each("deleted"):
        assert array.deleted
        assert array.shards == ()
        assert array.shape == (3,)


def test_keys_are_told_as_their_data(group):
    (keys,) = group.variable("keys").arrays
    assert keys.dtype == "key<fry>"
    assert keys.shape == (8,)
    assert keys.spec == ("p",)
    for shard in keys.shards:
        process = device_of(shard.device)[0]
        assert shard.shape == (4,)
        assert shard.index == ((4 * process, 4 * process + 4),)
        assert (shard.value.shape, shard.value.dtype) == ((4, 2), np.dtype("uint32"))
        assert same(shard.value, group.values("keys")[shard.device])
        assert same(shard.value, part(group.values("key_data")["p0·host"], shard.index))
    for key in group.one_each("key"):
        assert key.shape == ()
        assert key.shards[0].value.tolist() == [0, 7]  # threefry's data of seed 7


def test_numpy_arrays_stand_in_the_process(group):
    for process, array in enumerate(group.one_each("host")):
        (shard,) = array.shards
        assert array.where == "host"
        assert shard.device == f"p{process}·host"
        assert shard.index == ((0, 3), (0, 2))
        assert same(shard.value, np.arange(6.0).reshape(2, 3).T)
        assert shard.digest == xxhash.xxh3_128_hexdigest(np.arange(6.0).reshape(2, 3).T.tobytes())
    assert list(group.values("host")) == ["p0·host", "p1·host"]
    assert group.one_each("host_text")[0].shards[0].value.tolist() == ["here", "there"]


@pytest.mark.parametrize(
    ("name", "type_name", "text"),
    [
        ("scalar", "float32", "np.float32(2.5)"),
        ("number", "int", "3"),
        ("nothing", "NoneType", "None"),
        ("function", "function", "<function namespace>"),
        ("masked", "MaskedArray", "masked_array"),
        ("objects", "ndarray", "array"),
        ("tracer", "DynamicJaxprTracer", "int32[3]"),
        ("state", "State", "its repr raised KeyError: 'no repr today'"),
        ("state.broken", "RuntimeError", "nothing behind this"),
        ("own[0]", "ValueError", "'own[0]' would have to be computed"),
        ("own+1", "ValueError", "'own + 1' would have to be computed"),
        ("len(own)", "ValueError", "give the result a name in a cell first"),
    ],
)
def test_anything_else_is_a_thing(group, name, type_name, text):
    views = group.variable(name).views
    assert sum((view.processes for view in views), ()) == (0, 1)
    for view in views:
        assert isinstance(view.value, facts.Thing)
        assert view.value.type == type_name
        assert text in view.value.text


def test_things_are_one_where_they_are_equal_and_only_there(group):
    assert [v.processes for v in group.variable("number").views] == [(0, 1)]
    assert [v.processes for v in group.variable("function").views] == [(0, 1)]
    assert [v.processes for v in group.variable("unlike").views] == [(0,), (1,)]


def test_long_texts_are_cut_in_the_middle_but_compared_whole(group):
    views = group.variable("words").views
    assert [view.processes for view in views] == [(0,), (1,)]
    assert all(len(view.value.text) < 2100 for view in views)
    assert "3003 characters" in views[0].value.text


@pytest.mark.parametrize("name", LOOKED_UP)
def test_parts_of_what_a_name_stands_for_can_be_asked_for(group, name):
    assert [a.shards[0].value.tolist()[0] for a in group.one_each(name)] == [0, 10]


@pytest.mark.parametrize("name", NOWHERE)
def test_what_is_not_there_is_missing(group, name):
    assert group.variable(name).missing == (0, 1)


def test_what_is_not_there_has_no_values(group):
    assert [said["values"]["nowhere"] for said in group.answers] == [None, None]


def test_what_only_one_process_has_is_missing_in_the_other(group):
    variable = group.variable("only_first")
    assert variable.missing == (1,)
    assert variable.views[0].processes == (0,)


def test_values_of_what_is_no_array_are_refused_in_words(group):
    for said in group.answers:
        refused = said["refused"]
        assert (
            refused["number"] == "TypeError: number is of type int. Expected the name of an array."
        )
        assert refused["grid"].startswith("TypeError: grid is of type Mesh")
        assert refused["deleted"].startswith("RuntimeError")
        assert refused["own[0]"].startswith("ValueError: 'own[0]' would have to be computed")


def test_answers_are_plain_data_through_and_through(group):
    for kind in types_in(group.answers):
        assert issubclass(kind, SIMPLE), kind
