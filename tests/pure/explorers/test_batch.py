"""The batch explorer from facts made by hand: what its scenes say of right ways and of traps."""

import ast
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from labkit import rows
from labkit.errors import LabError, NotArrived, ProcessError
from labkit.explorers.batch import explorer
from labkit.explorers.batch.outcome import NAMES
from labkit.explorers.batch.programs import OWN_ROWS
from labkit.explorers.batch.traps import GLOBAL_SHAPE, OWN_SEED, UNEVEN, WAYS
from labkit.explorers.scenes import Found
from labkit.facts import Failure, Mesh, ProcessStatus, RollCall, Thing, Variable, View
from tests.pure.made import labels, local, processes, spread

LAB = processes(4, 1)
MESH = (2, 2)
TABLE = rows.numbers(24)


def things(name: str, values: list) -> Variable:
    """A Python value of its own in each process."""
    made = (Thing(type(value).__name__, repr(value)) for value in values)
    return Variable(name, tuple(View((p,), thing) for p, thing in enumerate(made)))


def facts(length=8, copies=None, read=None, nbytes=None, end=None) -> Found:
    """What the processes would tell, the first rows of the file loaded right by default."""
    mesh = Mesh(("data", "model"), MESH, tuple(labels(LAB)))
    array = spread(TABLE[:length], mesh, ("data", None), copies)
    read = read or [[0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7], [4, 5, 6, 7]]
    nbytes = nbytes or [8 * len(each) for each in read]
    made = {
        "mesh": Variable("mesh", (View((0, 1, 2, 3), mesh),)),
        "batch": Variable("batch", (View((0, 1, 2, 3), array),)),
        "data.read": local("data.read", [np.array(each, "int32") for each in read]),
        "data.nbytes": things("data.nbytes", nbytes),
        "start": things("start", [10.0, 10.0, 10.0, 10.0]),
        "end": things("end", end or [10.25, 10.25, 10.25, 10.25]),
    }
    return Found(made)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return rows.write(tmp_path_factory.mktemp("rows"), "numbers", 24)


def play(path, found, way=OWN_ROWS, lab=LAB, costs=None):
    asked = []

    def ask(source, names):
        asked.append(source)
        if isinstance(found, Exception) and len(asked) == 1:
            raise found
        return facts() if isinstance(found, Exception) else found

    at = SimpleNamespace(processes=lab, why="somebody waits")
    made = explorer.play(ask, explorer.Run(way, MESH, 8, path), at, {} if costs is None else costs)
    return made, asked


def scenes(path, found, way=OWN_ROWS):
    (made,) = play(path, found, way)[0].runs.values()
    return {scene.title: scene for scene in made}


@pytest.mark.parametrize("way", WAYS.values(), ids=lambda way: way.name)
@pytest.mark.parametrize("mesh", [(1, 4), (2, 2), (4, 1)])
def test_every_program_is_python_and_names_what_is_asked_of_it(way, mesh):
    source = way.program(mesh, 8, "/tmp/rows.npy")
    named = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    assert {name.partition(".")[0] for name in NAMES} <= named
    assert sum(line.strip().startswith(way.reads) for line in source.splitlines()) == 1
    assert max(len(line) for line in source.splitlines()) <= 75
    assert len(source.splitlines()) <= 24


def test_a_right_way_is_said_to_be_right(path):
    found = scenes(path, facts())
    assert list(found) == ["Who needs what", "Who reads", "What devices hold", "Row by row",
                           "What it cost"]  # fmt: skip
    need = found["Who needs what"].caption
    assert "Processes 0, 1 need the same rows, and so do processes 2, 3." in need
    assert "128 bytes were read, 2× the batch." in found["Who reads"].caption
    assert "all are equal" in found["What devices hold"].caption
    assert found["Row by row"].caption.startswith("Every row of the batch is there, at one place")
    assert found["Row by row"].alt.splitlines()[3] == "p3·d0  rows 4-7"
    assert "process 2  rows 4-7  32 bytes, 250 ms" in found["Who reads"].alt


def test_the_program_shown_is_the_program_that_ran(path):
    for way in (OWN_ROWS, OWN_SEED):
        made, asked = play(path, facts(), way)
        assert asked == [made.runs[""][0].source]


def test_each_scene_is_at_its_line(path):
    found = scenes(path, facts())
    lines = {t: s.source.splitlines()[s.line - 1].strip() for t, s in found.items()}
    assert lines["Who needs what"].startswith("sharding =")
    assert lines["Who reads"].startswith("mine =")
    assert lines["Row by row"].startswith("batch =")


def test_copies_that_differ_are_found_by_their_contents(path):
    found = scenes(path, facts(copies={"p1·d0": TABLE[4:8]}))
    assert "hold other rows. No error came." in found["What devices hold"].caption
    assert "A′" in found["What devices hold"].alt
    said = found["Row by row"].caption
    assert "Rows 4-7: at two places." in said
    assert "Copies of one slice hold other rows" in said


def test_rows_that_nobody_holds_are_named(path):
    found = scenes(path, facts(length=4))
    assert "But the batch has 8 rows." in found["Who needs what"].caption
    assert found["Row by row"].caption == "Rows 4-7: on no device."
    said = scenes(path, facts(length=4), GLOBAL_SHAPE)["Row by row"].caption
    assert said == "Rows 4-7: on no device. Instead: give the shape of the whole batch."


def test_a_trap_that_does_no_harm_says_so(path):
    said = scenes(path, facts(), OWN_SEED)["Row by row"].caption
    assert "On this mesh the trap does no harm" in said
    assert "Instead" not in said


def test_rows_that_are_not_of_the_file_are_counted(path):
    zeros = np.full((4, 2), -1, "int32")
    found = scenes(path, facts(copies={"p2·d0": zeros, "p3·d0": zeros}))
    assert "Rows 4-7: on no device." in found["Row by row"].caption
    assert "p2·d0  no rows  4 not of the file" in found["Row by row"].alt


def test_a_batch_of_two_lengths_is_said_to_be_one(path):
    found = facts(read=[[0, 1, 2, 3], [0, 1, 2, 3], [4, 5], [4, 5]])
    (view,) = found["batch"].views
    first, last = view.value.shards[:2], view.value.shards[2:]
    short = tuple(replace(s, index=((2, 4), (0, 2)), shape=(2, 2), value=s.value[:2]) for s in last)
    views = (
        View((0, 1), replace(view.value, shards=first)),
        View((2, 3), replace(view.value, shape=(4, 2), shards=short)),
    )
    made = {**found.variables, "batch": Variable("batch", views)}
    said = scenes(path, Found(made, "different programs"), UNEVEN)
    words = "Processes 0, 1: 8 rows; processes 2, 3: 4 rows."
    assert words in said["Who needs what"].caption
    assert words in said["Row by row"].caption
    assert "nowhere" not in said["Row by row"].caption  # rows 6 and 7 were never there
    assert play(path, Found(made, "different programs"), UNEVEN)[0].why == "different programs"


def test_who_had_it_before_another_began_has_not_waited(path):
    late = facts(end=[10.001, 10.002, 10.001, 12.0]).variables
    late = {**late, "start": things("start", [10.0, 10.0, 10.0, 11.002])}
    said = scenes(path, Found(late))["Row by row"].caption
    assert "Processes 0, 1, 2 had it 1.00 s before process 3 began" in said
    assert "waits for nobody" not in scenes(path, facts())["Row by row"].caption


def test_rows_read_more_than_once_are_counted(path):
    read = [[0, 1, 2, 3] * 4, [0, 1, 2, 3], [4, 5, 6, 7], []]
    found = scenes(path, facts(read=read))
    assert "192 bytes were read, 3× the batch; some rows 4× in one process." in (
        found["Who reads"].caption
    )
    assert "rows 0-3 4×" in found["Who reads"].alt
    assert "process 3  no rows  0 bytes" in found["Who reads"].alt


def test_an_error_is_the_last_scene_with_what_was_read_before_it(path):
    failure = Failure("ValueError", "not the shard's shape", (("t", 14, "batch = f()"),))
    made, asked = play(path, ProcessError({2: failure}))
    (found,) = made.runs.values()
    assert asked[1] == "pass"  # the names are asked for in a run of their own
    assert [scene.title for scene in found][-1] == "The error"
    assert found[-1].caption.startswith("ValueError: not the shard's shape")
    assert found[-1].line == 14
    assert "process 2 ended its cell with ValueError in line 14: batch = f()" in found[-1].alt
    assert "process 0 has ended its cell" in found[-1].alt


def test_a_wait_without_end_shows_the_roll_call_and_why_no_number_counts(path):
    roll = RollCall(
        (ProcessStatus(0, "waiting", 19, "total = ..."), ProcessStatus(1, "ended")), "1 never came."
    )
    made, asked = play(path, NotArrived("not every process arrived", roll))
    (found,) = made.runs.values()
    assert [scene.title for scene in found] == ["Roll call"]
    assert found[0].line == 19
    assert "process 0 waits in line 19" in found[0].alt
    assert "1 never came." in found[0].alt
    assert made.why == "somebody waits"
    assert len(asked) == 1  # a process that stands in a collective could not answer


def test_costs_of_right_ways_are_kept_and_the_newest_comes_last(path):
    costs: dict = {}
    for way in (OWN_ROWS, WAYS["each its rows: callback"], UNEVEN, OWN_ROWS):
        play(path, facts(), way, costs=costs)
    assert list(costs) == ["each its rows: callback", OWN_ROWS.name]
    assert costs[OWN_ROWS.name].nbytes == 128


@pytest.mark.parametrize(
    ("shape", "cut", "rows"), [((2, 4), 2, 8), ((3, 1), 3, 9), ((4, 4), 16, 16), ((3, 2), 2, 12)]
)
def test_a_batch_can_be_cut_by_the_data_axis_and_by_processes(shape, cut, rows):
    lab = processes(*shape)
    mesh = explorer._mesh(cut, lab)
    assert np.prod(mesh) == shape[0] * shape[1]
    assert explorer._rows(mesh, lab) == rows


def test_a_cut_that_the_devices_do_not_allow_is_refused_with_those_they_do():
    with pytest.raises(LabError, match="cannot be cut into 8: choose one of 1, 2, 4"):
        explorer._mesh(8, LAB)
