"""Recorded programs, their values on every device against plain numpy."""

import numpy as np
import pytest

from labkit.analysis.recording import of_records
from labkit.display.recording import recording
from tests.processes import harness
from tests.processes.programs_recorded import (
    AMBIENT,
    BODIES,
    CELL,
    EXPRESSIONS,
    NOT_FOLLOWED,
    REFUSED,
    TOO_BIG,
    TOO_MANY,
    WHOLE,
)

EVERY = "cut(every, check_vma=False)(x)"
ALSO_AT_4X2 = [EVERY, "cut(loop)(x)", "cut(branch)(x)", "cut(until)(x)", "tp(w_cut, u_cut, x)"]
pytestmark = pytest.mark.timeout(300)  # the first test of each group waits for all its programs
ROUNDED = {  # XLA fuses what is not asked for, and rounds in other places
    *("dp(w, u, rows)", "tp(w_cut, u_cut, x)", "compiler(x, w)", "train(w_cut, u_cut, rows)"),
    *("compiler(e, jnp.ones((16, 4)))", "noisy(key, x)"),
}


def told(expressions):
    from tests.processes import recordings

    return recordings.told(expressions)


class Group:
    """What some processes recorded, merged as a client does."""

    def __init__(self, processes: int, devices: int, expressions: list[str]) -> None:
        self.shape = processes, devices
        self.answers = harness.run(
            told, expressions, processes=processes, devices=devices, timeout=240
        )
        self.recordings = {}
        for expression in set(expressions) - set(REFUSED):
            each = {p: answer[expression] for p, answer in enumerate(self.answers)}
            assert not [said for said in each.values() if isinstance(said, str)], each[0]
            self.recordings[expression] = recording(of_records(each, expression, ()))

    def __getitem__(self, expression):
        return self.recordings[expression]

    def parts(self, whole=WHOLE):
        """Each device's part of an array that is cut along both axes."""
        rows = np.split(whole, self.shape[0], axis=0)
        return np.stack([np.stack(np.split(row, self.shape[1], axis=1)) for row in rows])

    def held(self, value):
        """The same of what the devices were found to hold."""
        table = [[value.held[f"p{p}·d{d}"] for d in range(self.shape[1])] for p in self.rows]
        return np.array(table)

    @property
    def rows(self):
        return range(self.shape[0])


@pytest.fixture(scope="module")
def two():
    return Group(2, 4, [*EXPRESSIONS, *REFUSED])


@pytest.fixture(scope="module")
def four():
    return Group(4, 2, ALSO_AT_4X2)


@pytest.fixture(params=["two", "four"])
def either(request):
    return request.getfixturevalue(request.param)


def at_line(recording, start):
    """The loud steps that come from the cell's line that starts so."""
    loud = (step for step in recording.steps if not step.quiet)
    return [step for step in loud if step.source.text.strip().startswith(start)]


def one(recording, op):
    (step,) = [step for step in recording.steps if step.op == op and not step.quiet]
    return step


@pytest.mark.parametrize("name", BODIES)
def test_what_a_line_makes_is_what_numpy_makes_on_every_device(either, name):
    body, expected = BODIES[name]
    last = at_line(either[EVERY], f"{name} = ")[-1]
    np.testing.assert_array_equal(either.held(last.gives[0]), expected(either.parts()))
    assert last.source.file == "cell 1"
    assert CELL.splitlines()[last.source.line - 1] == last.source.text
    if last.op not in ("sort", "silu"):
        assert last.source.text[slice(*last.source.span)] in body


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_recorded_run_gives_what_a_plain_call_gives(two, expression):
    agreement = two[expression].agreement
    assert agreement.bitwise or expression in ROUNDED
    assert agreement.largest <= 1e-5 * agreement.scale


def test_literals_are_no_values_and_both_versions_of_jax_tell_the_same_steps(two):
    steps = at_line(two[EVERY], "double = ")
    assert [step.op for step in steps] == ["mul", "add"]
    assert [len(step.reads) for step in steps] == [1, 1]


def test_values_are_called_by_the_learners_names(two):
    steps = {step.op: step for step in two["tp(w_cut, u_cut, x)"].steps[:9]}
    assert [value.name for value in steps["psum"].reads] == ["part"]
    assert {value.name for value in steps["dot_general"].reads} >= {"u"}
    loop = two["cut(loop)(x)"]
    assert {v.name for step in loop.steps for v in step.reads} >= {"v", "carry", "t"}


def test_a_collective_says_who_takes_part_and_how_many_bytes_leave(either):
    recording, (rows, columns) = either[EVERY], either.shape
    (psum,) = [s.collective for s in at_line(recording, "psum = ")]
    size = WHOLE.nbytes // (rows * columns)
    across = tuple(tuple(f"p{p}·d{d}" for d in range(columns)) for p in range(rows))
    assert (psum.op, psum.axes, psum.groups, psum.bytes) == ("psum", ("y",), across, size)
    assert psum.moved == round(size * 2 * (columns - 1) / columns)
    (both,) = [s.collective for s in at_line(recording, "both = ")]
    assert both.groups == (tuple(device for row in across for device in row),)
    (ring,) = [s.collective for s in at_line(recording, "ring = ")]
    assert set(ring.sends) == {
        (f"p{p}·d{d}", f"p{(p + 1) % rows}·d{d}") for p in range(rows) for d in range(columns)
    }
    assert (ring.op, ring.moved) == ("ppermute", size)


def test_equal_and_varying_axes_are_those_found(either):
    recording = either[EVERY]
    values = {name: at_line(recording, f"{name} = ")[-1].gives[0] for name in BODIES}
    assert (values["psum"].equal, values["psum"].varies) == (("y",), ("x",))
    assert (values["both"].equal, values["both"].varies) == (("x", "y"), ())
    assert (values["ring"].equal, values["ring"].varies) == ((), ("x", "y"))


def test_a_loop_has_every_turn(either):
    recording, parts = either["cut(loop)(x)"], either.parts()
    turns = [step for step in recording.steps if step.op == "psum"]
    assert [step.within[-1].turn for step in turns] == list(range(parts.shape[2]))
    assert {step.within[-1].what for step in turns} == {"scan"}
    carry = parts[:, :, 0]
    for step, t in zip(turns, range(parts.shape[2]), strict=True):
        carry = carry * 2 + parts[:, :, t]
        expected = np.broadcast_to(carry.sum(1, keepdims=True), carry.shape)
        np.testing.assert_array_equal(either.held(step.gives[0]), expected)
        np.testing.assert_array_equal(either.held(step.reads[0]), carry)
    start = recording.steps[turns[0].within[-1].start]
    assert start.within[-1].what == "scan"
    assert start.number == min(s.number for s in recording.steps if s.within[-1].what == "scan")


def test_a_loop_that_goes_backwards_is_told_in_the_order_it_runs(two):
    steps = [step for step in two["cut(backwards)(x)"].steps if step.op == "add"]
    given = two.parts()
    for turn, step in enumerate(steps):
        np.testing.assert_array_equal(two.held(step.reads[1]), given[:, :, -1 - turn])


def test_a_branch_that_was_not_taken_is_told_as_skipped(either):
    recording, parts = either["cut(branch)(x)"], either.parts()
    mul, add = one(recording, "mul"), one(recording, "add")
    first = tuple(f"p{p}·d0" for p in either.rows)
    assert mul.skipped == first
    assert set(add.skipped) == {d for d in mul.mesh.devices if d not in first}
    assert (mul.within[-1].what, mul.within[-1].turn, add.within[-1].turn) == ("cond", 1, 0)
    for device, value in mul.gives[0].held.items():
        p, d = int(device[1]), int(device[-1])
        np.testing.assert_array_equal(value, parts[p, d] * 10)
    assert set(mul.gives[0].held) == set(mul.mesh.devices) - set(first)


def test_of_several_branches_each_device_took_one(two):
    recording = two["cut(choose)(x)"]
    assert one(recording, "neg").skipped == one(recording, "neg").mesh.devices
    assert set(at_line(recording, "ways")[-1].skipped) == {f"p0·d{d}" for d in range(4)}


def test_a_loop_without_a_known_end_is_followed_until_it_ends_on_each_device(either):
    steps = [
        s for s in either["cut(until)(x)"].steps if s.op == "add" and s.within[-1].what == "while"
    ]
    devices = range(either.shape[1])
    turns = [-(-(5 - d) // 2) for d in devices]
    assert len(steps) == max(turns)
    for n, step in enumerate(steps):
        assert set(step.skipped) == {
            f"p{p}·d{d}" for p in either.rows for d in devices if turns[d] <= n
        }
        for device, value in step.gives[0].held.items():
            assert value == int(device[-1]) + 2 * (n + 1)


def test_a_loop_that_goes_on_for_longer_than_is_shown_says_so(two):
    recording = two["cut(too_long)(x)"]
    assert len([s for s in recording.steps if s.op == "add"]) == 32
    assert recording.notes == ("A loop made more than 32 turns: the first 32 are shown.",)
    assert two["cut(until)(x)"].notes == ()


def test_a_collective_in_the_test_of_a_loop_is_no_trouble(two):
    total, turns = WHOLE.sum(), 0
    while total < 1000:
        total, turns = total + 3 * WHOLE.size, turns + 1
    assert len([s for s in two["cut(until_all)(x)"].steps if s.op == "add"]) == turns


def test_a_long_loop_is_shown_as_one_step_and_the_recording_says_so(two):
    recording = two["long(x)"]
    (step,) = [step for step in recording.steps if not step.quiet]
    np.testing.assert_array_equal(two.held(step.gives[-1]), two.parts(WHOLE + 5000))
    assert "shown as one" in step.note
    assert recording.notes == (step.note,)


def test_of_values_too_big_to_bring_the_first_elements_are_shown(two):
    recording = two[TOO_BIG]
    made = one(recording, "add").gives[0]
    assert (made.complete, made.shape, made.equal, made.varies) == (False, (4, 4), (), ())
    np.testing.assert_array_equal(two.held(made), two.parts()[:, :, :2, :2] * 2 + 1)
    assert "too big to bring them whole" in recording.notes[0]
    assert recording.agreement.bitwise
    assert recording.results[0].complete


def test_an_operation_that_cannot_be_followed_is_named_with_its_line(two):
    for answer in two.answers:
        last = answer[NOT_FOLLOWED].strip().splitlines()[-1]
        assert "NotRecorded: The recording could not follow log in cell 1, line" in last
        assert last.endswith("jnp.log(v)) (ValueError: not twice).")


def test_what_has_too_many_steps_is_refused_with_their_number(two):
    for answer in two.answers:
        assert "NotRecorded: This has 2 steps, long loops counted as one" in answer[TOO_MANY]


def mlp(w, u, batch):
    hidden = np.maximum(batch @ w, 0)
    out = hidden @ u
    grad = 2 * out / out.size
    back = (grad @ u.T) * (hidden > 0)
    return (out**2).mean(), batch.T @ back, hidden.T @ grad


@pytest.mark.parametrize("expression", ["tp(w_cut, u_cut, x)", "train(w_cut, u_cut, rows)"])
def test_a_loss_and_its_gradients_are_those_of_numpy(two, expression):
    w = np.linspace(-1, 1, 256).reshape(16, 16)
    u = np.linspace(1, -1, 128).reshape(16, 8)
    # tensor parallel: the batch of a device is all of x
    batch = WHOLE.astype(float)
    for value, expected in zip(two[expression].results, mlp(w, u, batch), strict=True):
        for device, part in value.held.items():
            index = tuple(slice(*bounds) for bounds in value.index[device])
            np.testing.assert_allclose(part, expected[index], rtol=1e-4, atol=1e-4)


def test_data_parallel_gradients_are_the_mean_over_the_rows(two):
    w = np.linspace(-1, 1, 256).reshape(16, 16)
    u = np.linspace(1, -1, 128).reshape(16, 8)
    each = [mlp(w, u, half) for half in np.split(WHOLE.astype(float), 2)]
    expected = [np.mean([one[k] for one in each], axis=0) for k in range(3)]
    for value, mean in zip(two["dp(w, u, rows)"].results, expected, strict=True):
        assert value.equal == ("x", "y")
        for part in value.held.values():
            np.testing.assert_allclose(part, mean, rtol=1e-4, atol=1e-4)


def test_half_precision_and_keys_and_nans_come_as_they_are(two):
    psum = one(two["summed(b)"], "psum")
    assert (psum.gives[0].dtype, psum.collective.bytes) == ("bfloat16", WHOLE.nbytes // 16)
    fold = one(two["noisy(key, x)"], "random_fold_in")
    assert fold.gives[0].dtype.startswith("key<")
    assert {value.dtype for value in fold.gives[0].held.values()} == {np.dtype("uint32")}
    log = one(two["nans(x)"], "log").gives[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        np.testing.assert_allclose(two.held(log), np.log(two.parts()), rtol=1e-6)


def test_what_the_compiler_chose_is_told_of_every_value_outside_a_shard_map(two):
    product = one(two["compiler(x, w)"], "dot_general").gives[0]
    assert product.shape == (8, 16)
    assert product.spec is not None
    w = np.linspace(-1, 1, 256, dtype=np.float32).reshape(16, 16)
    for device, part in product.held.items():
        index = tuple(slice(*bounds) for bounds in product.index[device])
        np.testing.assert_allclose(part, (WHOLE @ w)[index], rtol=1e-5, atol=1e-5)
    assert one(two["pinned(x)"], "mul").gives[0].spec in (("y",), ("x", "y"))
    assert two["pinned(x)"].results[0].spec == ("y",)


def test_collectives_the_compiler_put_in_have_their_groups_bytes_and_lines(two):
    found = two["train(w_cut, u_cut, rows)"].compiled
    assert {(collective.op, collective.by) for collective in found} == {("all-reduce", "compiler")}
    assert set(found[0].groups) == {tuple(f"p{p}·d{d}" for d in range(4)) for p in range(2)}
    assert found[0].bytes == 4 * 8 * 4  # half of the batch, times the columns of u
    assert found[0].source.text.strip() == "return jnp.mean((hidden @ u) ** 2)"
    assert found[0].source.text[slice(*found[0].source.span)] == "hidden @ u"
    assert set(found[-1].groups) == {tuple(f"p{p}·d{d}" for p in range(2)) for d in range(4)}
    (gathered,) = [e for e in two["compiler(x, w)"].compiled if e.op == "all-gather"]
    assert gathered.bytes == WHOLE.nbytes // 8
    (moved,) = two["jnp.roll(rows, 1, axis=0)"].compiled
    assert moved.op == "collective-permute"
    assert ("p0·d0", "p1·d0") in moved.sends
    assert two["donating(x)"].compiled == ()


def test_a_mesh_of_each_processs_own_is_recorded_too(two):
    psum = one(two["mine_summed(mine)"], "psum")
    assert psum.collective.groups == tuple(tuple(f"p{p}·d{d}" for d in range(4)) for p in range(2))
    for device, value in psum.gives[0].held.items():
        mine = np.arange(8).reshape(4, 2) + 8 * int(device[1])
        np.testing.assert_array_equal(value, mine.sum(0))
    assert psum.gives[0].equal == ("i",)


def test_a_shard_map_in_a_loop_of_the_compilers_has_every_turn(two):
    turns = [step for step in two["looped(x)"].steps if step.op == "psum"]
    for t, step in enumerate(turns):
        scaled = two.parts() * WHOLE[t, 0]
        expected = np.broadcast_to(scaled.sum(1, keepdims=True), scaled.shape)
        np.testing.assert_array_equal(two.held(step.gives[0]), expected)
    assert len(turns) == 3


def test_calls_and_derivatives_are_followed_and_library_code_is_folded(two):
    recording = two["cut(calls)(x)"]
    kinds = {within.what for step in recording.steps for within in step.within}
    assert {"jit", "remat", "custom_jvp", "custom_vjp"} <= kinds
    silu = one(recording, "silu")
    inside = [s for s in recording.steps if s.source == silu.source and s.quiet]
    assert {step.op for step in inside} >= {"logistic"}
    x = two.parts() - two.parts().mean((0, 1))  # the mean over the devices, element by element
    np.testing.assert_allclose(two.held(silu.gives[0]), x / (1 + np.exp(-x)), rtol=1e-5)


def test_what_a_program_prints_is_printed_once(two):
    (said,) = [step for step in two["says(x)"].steps if "debug" in step.op]
    assert "plain call" in said.note


def test_explicit_axes_give_what_automatic_ones_give(two):
    other = two["cut(loop, mesh=explicit)(e)"]
    assert two["cut(loop)(x)"].first_difference(other) is None


def test_a_shard_map_that_is_told_no_mesh_takes_the_one_that_is_set(two):
    psum = one(two[AMBIENT], "psum")
    np.testing.assert_array_equal(two.held(psum.gives[0]), BODIES["psum"][1](two.parts()))
    assert psum.mesh.devices == tuple(f"p{p}·d{d}" for p in range(2) for d in range(4))


def test_a_shard_map_within_a_shard_map_goes_over_both_their_axes(two):
    (name,) = [e for e in EXPRESSIONS if e.startswith("cut(within")]
    psum = one(two[name], "psum")
    np.testing.assert_array_equal(two.held(psum.gives[0]), BODIES["psum"][1](two.parts()))
    assert psum.collective.groups[0] == tuple(f"p0·d{d}" for d in range(4))


def test_branches_and_loops_within_a_loop_are_those_each_device_took(two):
    steps = two["cut(all_in_one)(x)"].steps
    for place in np.ndindex(two.shape):
        device, given = f"p{place[0]}·d{place[1]}", two.parts()[place]
        expected, carry = [], given[0]
        for row in given:
            carry = carry + 1 if row.sum() > 0 else carry - 1
            expected.append(carry)
            while carry.sum() < 0:
                carry = carry + 3
                expected.append(carry)
        ran = (s for s in steps if s.op in ("add", "sub") and device not in s.skipped)
        found = [step.gives[0].held[device] for step in ran]
        np.testing.assert_array_equal(found, expected)
