"""What the lab says the devices hold, against plain numpy."""

import time

import ml_dtypes
import numpy as np
import pytest

import labkit
from labkit import facts
from tests.processes.cases import Case, index_of, padded

SIZES = (2, 4)
LABELS = [facts.device_label(p, d) for p in range(2) for d in range(4)]
CASES = {
    "scalar": Case((), "int32", ()),
    "one_axis": Case((16,), "int32", (("p", "d"),)),
    "part": Case((8, 6), "float32", ("p", None)),
    "turned": Case((8, 6), "float32", ("d", "p")),
    "deep": Case((4, 2, 3), "int8", (None, "p")),
    "four": Case((4, 2, 8, 3), "uint8", (None, "p", "d")),
    "short_float": Case((8, 4), "bfloat16", ("d",)),
    "truth": Case((8, 4), "bool", ("p", "d")),
    "everywhere": Case((3, 5), "int32", (None, None)),
}
MAKE = """
grid = Mesh(np.array(jax.devices()).reshape(2, 4), ("p", "d"))
def make(shape, dtype, *spec):
    full = (np.arange(np.prod(shape, dtype=int)) % 5).reshape(shape).astype(jnp.dtype(dtype))
    return jax.make_array_from_callback(shape, NamedSharding(grid, P(*spec)), lambda i: full[i])
"""


@pytest.fixture
def cases(lab):
    """All cases in the processes, each under its name."""
    lines = [f"{name} = make{(c.shape, c.dtype, *c.spec)!r}" for name, c in CASES.items()]
    lab.run(MAKE + "\n".join(lines))
    return CASES


def whole(case: Case) -> np.ndarray:
    numbers = np.arange(np.prod(case.shape, dtype=int)) % 5
    return numbers.reshape(case.shape).astype(getattr(ml_dtypes, case.dtype, case.dtype))


def held(case: Case, label: str) -> np.ndarray:
    """What a device must hold, worked out by hand."""
    place = (int(label[1]), int(label[-1]))
    return whole(case)[tuple(slice(*part) for part in index_of(case, place, SIZES))]


def test_values_are_each_devices_own_shard(lab, cases):
    for name, case in cases.items():
        values = lab.values(name)
        assert list(values) == LABELS
        for label, value in values.items():
            expected = held(case, label)
            assert (value.dtype, value.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(value, expected, err_msg=f"{name} on {label}")


def test_facts_say_the_same_and_how_it_is_laid_out(lab, cases):
    for name, case in cases.items():
        variable = lab.facts(name)
        (array,) = variable.arrays
        assert variable.missing == ()
        assert (array.shape, array.dtype, array.spec) == (case.shape, case.dtype, case.spec)
        assert array.spans
        assert array.replicated == (set(padded(case)) <= {None})
        assert array.mesh == facts.Mesh(("p", "d"), SIZES, tuple(LABELS), ("Auto", "Auto"))
        for shard in array.shards:
            np.testing.assert_array_equal(shard.value, held(case, shard.device))
            assert shard.complete


def test_the_picture_has_every_device_and_its_numbers(lab):
    lab.run("a = 100 + 10 * jax.process_index() + jnp.arange(2)")
    words = lab.show("a").text
    for number in (100, 101, 110, 111):
        assert str(number) in words
    for label in ("p0·d0", "p1·d0"):
        assert label in words


def test_several_names_share_one_picture(lab, cases):
    picture = lab.show("scalar", "truth", "grid")
    for word in ("scalar", "truth", "grid", "p1·d3"):
        assert word in picture.text
    assert picture.svg.count("<svg") == 1


def test_every_case_can_be_drawn(lab, cases):
    for name in cases:
        assert name in lab.show(name).text


def test_a_key_comes_as_its_data(lab):
    lab.run("key = jax.random.key(7)")
    for value in lab.values("key").values():
        assert value.dtype == np.uint32
        assert value.tolist() == [0, 7]
    assert {array.dtype for array in lab.facts("key").arrays} == {"key<fry>"}


def test_an_array_over_a_local_mesh_is_one_for_each_process(lab):
    lab.run(
        "own = Mesh(jax.local_devices(), ('i',))\n"
        "mine = 8 * jax.process_index() + np.arange(8)\n"
        "y = jax.device_put(mine, NamedSharding(own, P('i')))"
    )
    values = lab.values("y")
    assert list(values) == LABELS
    np.testing.assert_array_equal(np.concatenate(list(values.values())), np.arange(16))
    assert [view.processes for view in lab.facts("y").views] == [(0,), (1,)]
    assert not any(array.spans for array in lab.facts("y").arrays)
    meshes = lab.facts("own").meshes
    assert [mesh.devices for mesh in meshes] == [tuple(LABELS[:4]), tuple(LABELS[4:])]


def test_a_numpy_array_lies_in_its_processs_own_memory(lab):
    lab.run("h = np.array([1, jax.process_index()])")
    values = lab.values("h")
    assert {label: value.tolist() for label, value in values.items()} == {
        "p0·host": [1, 0],
        "p1·host": [1, 1],
    }


def test_copies_that_differ_are_told_as_they_are(lab):
    lab.run(
        "parts = [jnp.full(3, jax.process_index(), device=d) for d in jax.local_devices()]\n"
        "everywhere = NamedSharding(Mesh(jax.devices(), ('i',)), P())\n"
        "a = jax.make_array_from_single_device_arrays((3,), everywhere, parts)"
    )
    (array,) = lab.facts("a").arrays
    assert array.replicated
    assert {label: set(value) for label, value in lab.values("a").items()} == {
        label: {int(label[1])} for label in LABELS
    }
    assert "differ" in lab.show("a").text


def test_a_name_in_one_process_only_is_said_to_be_missing_in_the_other(lab):
    lab.run("only = jnp.arange(3)", on=1)
    assert list(lab.values("only")) == ["p1·d0"]
    assert lab.facts("only").missing == (0,)
    assert "process 0" in lab.show("only").text


@pytest.mark.parametrize("read", ["values", "facts", "show"])
def test_a_name_in_no_process_is_an_error_that_says_so(lab, read):
    with pytest.raises(labkit.LabError, match="No process has a name 'nowhere'"):
        getattr(lab, read)("nowhere")


def test_show_wants_a_name(lab):
    with pytest.raises(labkit.LabError, match="no name"):
        lab.show()


@pytest.mark.parametrize(
    ("source", "name", "words"),
    [
        ("a = 3", "a", "a is of type int. Expected the name of an array."),
        ("a = jnp.ones(3); a.delete()", "a", "deleted"),
        ("a = jnp.ones(3)", "a + 1", "would have to be computed"),
        ("a = jnp.ones(3)", "a[0]", "would have to be computed"),
    ],
)
def test_values_of_what_has_none_are_refused(lab, source, name, words):
    lab.run(source)
    with pytest.raises(labkit.LabError) as raised:
        lab.values(name)
    assert words in str(raised.value)
    assert lab.state == "ready"


def test_what_has_no_values_can_still_be_told_and_drawn(lab):
    lab.run("a = 3; b = jnp.ones(3); b.delete(); f = len")
    assert lab.facts("a").views[0].value == facts.Thing("int", "3")
    assert lab.facts("b").arrays[0].deleted
    for name in "abf":
        assert name in lab.show(name).text


@pytest.mark.parametrize("name", ["params['w']", 'params["w"]', "state.x", "params['l'][1]"])
def test_a_part_of_something_has_a_name_too(lab, name):
    lab.run(
        "from types import SimpleNamespace\nw = jnp.arange(3) + jax.process_index()\n"
        "params, state = {'w': w, 'l': [0, w]}, SimpleNamespace(x=w)"
    )
    assert [value.tolist() for value in lab.values(name).values()] == [[0, 1, 2], [1, 2, 3]]
    assert len(lab.facts(name).arrays) == 2


def test_a_big_array_is_told_by_a_preview(lab):
    lab.run(MAKE + "big = make((4096, 4096), 'float32', 'p', 'd')")  # 64 MiB
    began = time.monotonic()
    (array,) = lab.facts("big").arrays
    picture = lab.show("big")
    assert time.monotonic() - began < 10
    full = np.arange(4096 * 4096, dtype=np.int64).reshape(4096, 4096) % 5
    for shard in array.shards:
        assert shard.shape == (2048, 1024)
        assert not shard.complete
        assert 0 < shard.value.nbytes <= 2048
        assert len(shard.digest) == 32
        start = tuple(
            slice(a, a + n) for (a, _), n in zip(shard.index, shard.value.shape, strict=True)
        )
        np.testing.assert_array_equal(shard.value, full[start])
    assert len(picture.svg) + len(picture.text) < 200_000


def test_values_of_a_big_array_come_whole(lab):
    lab.run(MAKE + "big = make((1024, 1024), 'float32', 'p', 'd')")
    values = lab.values("big")
    rows = [np.hstack([values[f"p{p}·d{d}"] for d in range(4)]) for p in range(2)]
    expected = (np.arange(1024 * 1024) % 5).reshape(1024, 1024)
    np.testing.assert_array_equal(np.vstack(rows), expected)


def test_the_lab_itself_is_drawn_with_its_devices_and_its_state(lab):
    words = lab.picture().text
    for word in (*LABELS, "ready"):
        assert word in words
    assert repr(lab) == "Lab(ready: 2 processes × 4 devices)"
    assert "text/plain" in lab._repr_mimebundle_()


class TestAProcessThatIsBusyWithWhatTheLabDidNotSend:
    @pytest.fixture(autouse=True)
    def _busy(self, lab, monkeypatch):
        monkeypatch.setattr("labkit.lab.engine_client._SHORT", 0.5)
        lab.run("x = 3")
        busy = lab.client[1].apply_async(time.sleep, 3)
        yield
        busy.wait(10)

    @pytest.mark.parametrize("read", [labkit.Lab.facts, labkit.Lab.show])
    def test_is_named_and_the_lab_stays_as_it_was(self, lab, read):
        with pytest.raises(labkit.LabError, match=r"from process 1: busy with .* \(%%px\?\)"):
            read(lab, "x")
        assert lab.state == "ready"
        assert lab.run("x")[1] == 3  # a cell waits for its turn
