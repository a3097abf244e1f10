"""lab.step on real processes: what it gives, what it refuses, what it leaves behind."""

import textwrap

import numpy as np
import pytest

import labkit
from tests.lab import scenario, shared

SETUP = (
    scenario.SETUP
    + """
local = over(lambda v: jax.lax.psum(v * 2, "i"), Mesh(jax.local_devices(), ("i",)))
everywhere = over(lambda v: jax.lax.psum(v * 2, "i"))
mine = np.arange(8) + 8 * me
keep = jax.jit(lambda v: v + 1, donate_argnums=0)

def loss(params, batch, scale):
    hidden = batch * params["w"]
    return scale * jnp.sum(hidden)

params = {"w": jnp.arange(3.0)}
"""
)
EVENS, ODDS = 56, 64


@pytest.fixture(scope="module")
def lab():
    lab = shared.lab(2, 4)
    lab.run(SETUP, setup=True)
    return lab


@pytest.fixture(autouse=True)
def _left_as_it_was(lab, first_names):
    names = scenario.public(lab.run("list(globals())")[0])
    yield
    if lab.state != "ready":
        lab.reset()
    assert scenario.public(lab.run("list(globals())")[0]) == names


def test_a_call_is_recorded_with_its_lines_its_values_and_its_collectives(lab):
    recording = lab.step("everywhere(x)")
    mul, psum = [step for step in recording if not step.quiet]
    assert (mul.op, psum.op, recording.expression) == ("mul", "psum", "everywhere(x)")
    assert psum.source.text.startswith("everywhere = over(")
    assert psum.source.text[slice(*psum.source.span)] == 'jax.lax.psum(v * 2, "i")'
    assert recording.text.splitlines()[psum.source.line - 1] == psum.source.text
    whole = np.arange(16).reshape(8, 2)
    for place, held in enumerate(mul.reads[0].held.values()):
        np.testing.assert_array_equal(held, whole[place])
    assert {tuple(held) for held in psum.gives[0].held.values()} == {(2 * EVENS, 2 * ODDS)}
    assert psum.collective.groups == (tuple(d.label for p in lab.processes for d in p.devices),)
    assert (psum.gives[0].equal, recording.agreement.bitwise, recording.why) == (("i",), True, "")
    assert lab.state == "ready"


def test_the_results_are_those_of_a_call_without_labkits_hand_in_it(lab):
    recording = lab.step("everywhere(x)")
    lab.run("y = everywhere(x)")
    for device, value in lab.values("y").items():
        np.testing.assert_array_equal(recording.results[0].held[device], value)
    lab.run("del y")


def test_arguments_are_called_as_they_are_written_and_evaluated_once(lab):
    recording = lab.step("loss(params, mine[:3], scale=2.0)")
    assert [value.name for value in recording.arguments] == ["params['w']", "mine[:3]"]
    convert, mul, *_ = recording.steps
    assert [value.name for value in convert.reads] == ["mine[:3]"]
    assert [value.name for value in mul.reads] == [convert.gives[0].name, "params['w']"]
    assert [value.name for value in mul.gives] == ["hidden"]
    lab.run("left = iter([x, x])")
    lab.step("total(next(left))")
    assert dict(lab.run("len(list(left))")) == {0: 1, 1: 1}
    lab.run("del left")


def test_the_lines_before_the_expression_run_as_they_are(lab):
    recording = lab.step("print('twice'); twice = 2\ntotal(x * twice)")
    assert lab.last.recording is recording
    assert recording.results[0].held["p1·d3"].tolist() == [2 * EVENS, 2 * ODDS]
    assert [output.text for output in lab.last.outputs] == ["twice\n", "twice\n"]
    lab.run("del twice")


def test_an_argument_that_a_call_gives_away_is_still_there(lab):
    recording = lab.step("keep(x)")
    assert [step.op for step in recording] == ["add"]
    assert dict(lab.run("x.is_deleted()")) == {0: False, 1: False}


def test_a_local_and_a_global_mesh_part_at_the_psum(lab):
    local, everywhere = lab.step("local(mine)"), lab.step("everywhere(x)")
    assert local.first_difference(everywhere) == 1
    assert {tuple(h) for h in local.steps[1].gives[0].held.values()} == {(24, 32), (88, 96)}
    assert len(local.steps[1].collective.groups) == 2


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("total(", "This is not Python yet, and was not sent"),
        ("y = total(x)", "Only an expression can be recorded"),
        ("", "It is empty"),
        (len, "builtin_function_or_method was given; expected an expression as text"),
    ],
)
def test_what_is_no_expression_is_refused_before_anything_is_sent(lab, code, words):
    number = lab._cells._number
    with pytest.raises(labkit.LabError, match=words):
        lab.step(code)
    assert lab._cells._number == number


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("total", "runs no operation of JAX"),
        ("nobody(x)", "name 'nobody' is not defined"),
        ("loss(params, x)", "missing 1 required positional argument"),
        ("(lambda v: v if v.sum() > 0 else -v)(mine)", "Attempted boolean conversion"),
        ("1 / me if me else total", "runs no operation of JAX"),
    ],
)
def test_what_cannot_be_recorded_raises_in_the_processes_and_harms_nothing(lab, expression, words):
    with pytest.raises(labkit.ProcessError, match=words):
        lab.step(expression)
    assert lab.state == "ready"


def test_a_pmap_is_refused_with_the_shard_map_that_does_the_same(lab):
    lab.run('mapped = jax.pmap(lambda v: jax.lax.psum(v, "i"), axis_name="i")')
    with pytest.raises(labkit.ProcessError, match=r"is a jax\.pmap") as raised:
        lab.step("mapped(mine[:4])")
    code = str(raised.value).split("gave to pmap:\n")[1].split("Give it one array")[0]
    lab.run('body = lambda v: jax.lax.psum(v, "i")\n' + textwrap.dedent(code))
    recording = lab.step("mapped(x[::2])")
    assert {int(h[0]) for h in recording.results[0].held.values()} == {EVENS}
    lab.run("del mapped, body")


def test_one_process_that_raises_is_named(lab):
    with pytest.raises(labkit.ProcessError) as raised:
        lab.step("(lambda v: 1 / (1 - me) + v)(mine)")
    assert list(raised.value.by_process) == [1]
    assert raised.value.by_process[1].type == "ZeroDivisionError"
    assert lab.state == "ready"


def test_processes_that_run_different_programs_have_no_recording(lab):
    with pytest.raises(labkit.LabError, match="one step is add in process 0, mul in process 1"):
        lab.step("(lambda v: v * 2 if me else v + 1)(mine)")
    assert lab.state == "ready"


def test_a_recording_that_hangs_ends_like_a_cell(lab):
    with pytest.raises(labkit.NotArrived) as raised:
        lab.step("total(x) if me == 0 else jnp.sin(mine)", deadline=1.5)
    assert [row.state for row in raised.value.roll_call] == ["waiting", "ended"]
    assert lab.state == "unsafe"
    with pytest.raises(labkit.Unsafe):
        lab.step("total(x)")
    lab.reset()
    assert lab.step("total(x)").results[0].held["p0·d0"].tolist() == [EVENS, ODDS]
