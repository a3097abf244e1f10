"""A recording on the stage: folds, captions, source, two side by side, and how small it is."""

import json
from dataclasses import replace

import numpy as np
import pytest

from labkit.facts import Recording, Step, Within
from labkit.widgets.packing import Parts, joined, whole
from labkit.widgets.recording import beside, outline, scenes, stage
from labkit.widgets.recording_alignment import aligned, difference
from labkit.widgets.recording_outline import entries
from tests.pure.made import processes
from tests.pure.programs import LOOP, loop
from tests.pure.recorded import CELL, GRID, chain, each, psum, value


def titles(recording) -> list[str]:
    return [scene.title for scene in scenes(recording)]


def test_a_recording_has_a_scene_for_the_call_each_step_and_each_compiled_collective():
    assert titles(psum()) == ["the call of f", "mul", "psum", "add", "compiled: all-reduce"]
    kinds = [scene.part.kind for scene in scenes(psum())]
    assert kinds == ["call", "step", "collective", "step", "collective"]


def test_the_call_says_how_far_it_can_be_believed():
    caption = scenes(psum())[0].caption
    assert "the recorded run equals a plain call, bit for bit" in caption
    assert "3 steps, 1 collective" in caption


def test_a_step_shows_its_line_and_the_part_that_is_meant():
    scene = scenes(psum())[2]
    line = CELL.splitlines()[scene.line - 1]
    assert line[slice(*scene.span)] == 'jax.lax.psum(w, "y")'


def test_lines_count_from_the_first_of_the_text():
    below = psum()
    moved = [
        replace(step, source=replace(step.source, line=step.source.line + 10))
        for step in below.steps
    ]
    scene = scenes(replace(below, first=11, steps=tuple(moved)))[2]
    assert (scene.line, scene.first) == (5, 11)


def test_a_step_from_elsewhere_says_where_it_comes_from():
    recording = psum()
    source = replace(recording.steps[0].source, file="model.py", line=3, text="  return a")
    step = replace(recording.steps[0], source=source)
    scene = scenes(replace(recording, steps=(step,)))[1]
    assert (scene.line, scene.span) == (0, (0, 0))
    assert "From model.py, line 3: return a" in scene.caption


def test_a_loop_is_a_fold_before_its_steps():
    found = entries(loop())
    (fold,) = [entry for entry in found if entry.kind == "fold"]
    assert found[0] is fold
    assert fold.told == "scan body as a whole: 3 turns, 9 steps, 3 of them collectives."
    assert [value.name for value in fold.step.gives] == ["c2"]
    assert {value.name for value in fold.step.reads} == {"init", "x0", "x1", "x2"}
    inside = [entry for entry in found if fold in entry.folds]
    assert [entry.step.op for entry in inside] == ["psum", "add", "mul"] * 3
    places = [scene.part.within for scene in scenes(loop())]
    assert places[2:11] == [(1,)] * 9
    assert set(places[11:]) == {()}


def test_where_the_loop_as_a_whole_was_recorded_it_stands_for_the_fold():
    recording = loop()
    scan = Step(9, "scan", gives=(value("total", each(lambda n: np.float32(n))),), mesh=GRID)
    steps = [*recording.steps[:9], scan, *recording.steps[9:]]
    found = entries(replace(recording, steps=tuple(steps)))
    fold = found[0]
    assert [value.name for value in fold.step.gives] == ["total"]
    assert [entry.step.op for entry in found[9:11]] == ["mul", "gt"]


def test_what_would_hide_one_step_or_all_is_no_fold():
    steps = psum().steps
    alone = replace(steps[1], within=(*steps[1].within, Within("jit", "one", -1, 1)))
    recording = replace(psum(), steps=(steps[0], alone, steps[2]))
    assert [entry.kind for entry in entries(recording)] == ["step", "collective", "step"]


def test_nested_folds_stand_in_each_other():
    outer, inner = Within("scan", "", 0, 0), Within("jit", "g", -1, 1)
    base = psum().steps[0]
    paths = [(outer,), (outer, inner), (outer, inner), (outer,), ()]
    steps = tuple(replace(base, number=n, within=path) for n, path in enumerate(paths))
    found = entries(replace(psum(), steps=steps))
    assert [entry.kind for entry in found] == [
        "fold",
        "step",
        "fold",
        "step",
        "step",
        "step",
        "step",
    ]
    assert found[3].folds == (found[0], found[2])


def test_quiet_steps_are_marked():
    quiet = [scene.title for scene in scenes(loop()) if scene.part.quiet]
    assert quiet == ["convert_element_type"]


def test_branches_are_never_folded_and_say_who_did_not_run():
    last = scenes(loop())[-1]
    assert last.part.within == ()
    assert "did not run on p0·d0-d3" in last.caption
    assert "cond, branch 1" in last.caption


def changed() -> Recording:
    """The psum's recording with another result of its last step on one device."""
    recording = psum()
    last = recording.steps[-1]
    held = last.gives[0].held | {"p1·d2": np.array([[1, 1]], "int32")}
    other = replace(last, gives=(value("v3", held),))
    return replace(recording, steps=(*recording.steps[:-1], other))


def test_two_recordings_open_at_the_first_step_where_they_part():
    shown = beside(psum(), changed(), ("mine", "yours"))
    assert [run["title"] for run in shown.runs] == ["mine", "yours"]
    assert shown.step == 3
    caption = shown.runs[0]["scenes"][3]["caption"]
    assert caption.startswith("Other values of v3 on p1·d2.")
    differing = [scene.get("differs", False) for scene in shown.runs[0]["scenes"]]
    assert differing == [False, False, False, True, False]


def test_equal_recordings_do_not_part():
    shown = beside(psum(), psum())
    assert shown.step == 0
    assert [run["title"] for run in shown.runs] == ["f(x) (1)", "f(x) (2)"]
    assert not any(scene.get("differs") for run in shown.runs for scene in run["scenes"])


def test_a_step_that_one_side_lacks_leaves_a_gap_and_the_rest_stays_side_by_side():
    short = replace(psum(), steps=psum().steps[1:])
    pairs = aligned(outline(psum()), outline(short))
    assert [b and b.step.op for _, b in pairs] == ["f", None, "psum", "add", "all-reduce"]
    assert difference(*pairs[1]) == "Only one of the two has this step."
    lengths = {len(run["scenes"]) for run in beside(psum(), short).runs}
    assert lengths == {5}


def test_a_quiet_step_that_one_side_lacks_is_no_difference():
    noise = replace(psum().steps[0], op="pvary", quiet=True)
    other = replace(psum(), steps=(noise, *psum().steps))
    assert beside(psum(), other).step == 0


def test_other_groups_are_a_difference():
    step = psum().steps[1]
    everyone = replace(step.collective, groups=(GRID.devices,))
    other = replace(psum(), steps=(psum().steps[0], replace(step, collective=everyone)))
    shown = beside(psum(), other)
    assert shown.step == 2
    caption = shown.runs[1]["scenes"][2]["caption"]
    assert caption.startswith(
        "2 groups of 4 devices on one side, 1 group of 8 devices on the other"
    )


def test_pictures_and_words_come_out_of_their_pieces_as_they_were():
    (run,) = stage(loop()).runs
    for scene, plain in zip(scenes(loop()), run["scenes"], strict=True):
        assert whole(run, plain["alt"]) == scene.alt
        assert whole(run, plain["svg"]) == scene.svg
        assert "aria-label" not in scene.svg  # the words stand beside it, once


@pytest.mark.parametrize("texts", [["aab", "aab", "b"], ["abcabc"], ["", "a"], ["ab", "cab", "ca"]])
def test_pieces_that_never_stand_apart_become_one(texts):
    parts = Parts()
    rows = [parts._of(list(text)) for text in texts]
    pieces, numbers = joined(parts.all, rows)
    assert ["".join(pieces[n] for n in row) for row in numbers] == texts
    assert len(pieces) <= len(parts.all)


def random(length: int) -> Recording:
    """A program whose values are all different: nothing in it can be stored once for two steps."""
    make, steps = np.random.default_rng(0), []
    held = [
        value(f"v{n}", each(lambda _: make.random((2, 4), "float32"))) for n in range(length + 1)
    ]
    for n in range(length):
        joins = psum().steps[1].collective if n % 7 == 3 else None
        op = "psum" if joins else "add"
        steps.append(
            Step(n, op, reads=(held[n],), gives=(held[n + 1],), collective=joins, mesh=GRID)
        )
    return Recording("f(x)", LOOP, "cell 2", steps=tuple(steps), processes=processes(2, 4))


def test_fifty_steps_on_eight_devices_are_small():
    runs = stage(random(50)).runs
    assert len(json.dumps(runs, ensure_ascii=False).encode()) < 200_000


def test_steps_that_repeat_cost_little():
    one, many = (len(json.dumps(stage(chain(n)).runs)) for n in (10, 100))
    assert many - one < 90 * 1_500


def test_where_widgets_do_not_run_a_long_recording_is_cut_and_says_so():
    bundle = stage(chain(100))._repr_mimebundle_()[0]
    assert "… and 42 more steps" in bundle["text/html"]
    assert "… and 90 more steps" in bundle["text/plain"]
