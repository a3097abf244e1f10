"""Ways to load a batch on real processes: what a learner sees of each, held against numpy."""

import re

import numpy as np
import pytest

import labkit
from labkit.explorers.batch.programs import (
    BROADCAST,
    CALLBACK,
    DEVICE_PUT,
    JIT,
    ONE_A_REPLICA,
    OWN_ROWS,
    PART_OF_MESH,
    RIGHT,
    SINGLE_DEVICE,
)
from labkit.explorers.batch.traps import (
    BY_PROCESS,
    ENDS_EARLY,
    GLOBAL_INDEX,
    GLOBAL_SHAPE,
    OWN_SEED,
    UNEVEN,
)
from labkit.widgets.packing import whole

PROCESSES, DEVICES, ROWS = 2, 4, 8


@pytest.fixture(scope="module")
def explorer(lab):
    return labkit.explore.batch(lab)


def show(explorer, way, cut=2, data="numbers", status="") -> dict[str, dict]:
    """Title → scene, once the controls stand so."""
    for name, value in (("data", data), ("cut", cut), ("way", way.name)):
        explorer.controls[name].value = value
    assert explorer.stage.status == status
    (run,) = explorer.stage.runs
    words = ({**scene, "alt": whole(run, scene["alt"])} for scene in run["scenes"])
    return {scene["title"]: scene for scene in words}


def rows(words: str) -> dict[str, list[int]]:
    """Process or device → row numbers, read from the text form of a picture."""
    found = {}
    for line in words.splitlines():
        who, said, *_ = re.split(" {2,}", line)
        found[who] = [n for part in re.findall(r"(\d+(?:-\d+)?)(?: (\d+)×)?", said)
                      for n in spread(*part)]  # fmt: skip
    return found


def spread(span: str, times: str) -> list[int]:
    first, _, last = span.partition("-")
    return list(range(int(first), int(last or first) + 1)) * int(times or 1)


def needed(cut: int, processes=PROCESSES, devices=DEVICES) -> dict[str, list[int]]:
    """Device → the rows it must hold on a mesh of ``cut`` rows of devices, worked out by hand."""
    total = processes * devices
    parts = {n: n * cut // total for n in range(total)}
    each = ROWS // cut
    return {
        f"p{n // devices}·d{n % devices}": list(range(part * each, (part + 1) * each))
        for n, part in parts.items()
    }


def reads(way, cut: int) -> list[list[int]]:
    """What each process must have read."""
    need = needed(cut)
    mine = [[need[f"p{p}·d{d}"] for d in range(DEVICES)] for p in range(PROCESSES)]
    everything = list(range(ROWS))
    if way in (JIT, DEVICE_PUT):
        return [everything] * PROCESSES
    if way is BROADCAST:
        return [everything, []]
    if way is SINGLE_DEVICE:
        return [sorted(row for device in devices for row in device) for devices in mine]
    own = [sorted({row for device in devices for row in device}) for devices in mine]
    if way is ONE_A_REPLICA:
        return [own[0], [row for row in own[1] if row not in own[0]]]
    return own


@pytest.mark.parametrize("cut", [1, 2, 8])
@pytest.mark.parametrize("way", RIGHT, ids=lambda way: way.name)
def test_every_device_gets_its_rows_and_who_reads_is_counted(explorer, way, cut):
    scenes = show(explorer, way, cut)
    assert rows(scenes["Row by row"]["alt"]) == needed(cut)
    assert scenes["Row by row"]["caption"].startswith("Every row of the batch is there")
    read = rows(scenes["Who reads"]["alt"])
    if way is CALLBACK:  # how often JAX asks for the copies of one process is its own business
        read = {who: sorted(set(numbers)) for who, numbers in read.items()}
    else:
        nbytes = 8 * sum(len(numbers) for numbers in read.values())
        assert f"{nbytes:,} bytes were read" in scenes["Who reads"]["caption"]
    assert [sorted(numbers) for numbers in read.values()] == reads(way, cut)
    assert explorer.stage.why == ""


def test_digits_are_loaded_and_drawn(explorer):
    scenes = show(explorer, OWN_ROWS, data="digits")
    assert rows(scenes["Row by row"]["alt"]) == needed(2)
    assert "512 bytes were read" in scenes["Who reads"]["caption"]


def test_what_right_ways_cost_stands_side_by_side(explorer):
    show(explorer, OWN_ROWS, cut=1)
    told = show(explorer, JIT, cut=1)["What it cost"]["alt"]
    assert re.search(rf"{OWN_ROWS.name}: 128 bytes, [\d.]+ (µs|ms|s)\n", told)
    assert told.splitlines()[-1].startswith(f"{JIT.name}: 128 bytes")


def test_building_an_array_on_a_part_of_the_mesh_waits_for_nobody(explorer):
    scenes = show(explorer, PART_OF_MESH)
    said = re.search(r"Process 0 had it ([\d.]+) s before process 1 began", _caption(scenes))
    assert float(said[1]) > 0.8
    held = rows(scenes["Row by row"]["alt"])
    assert held == {f"p0·d{d}": list(range(8)) for d in range(4)}


def _caption(scenes) -> str:
    return scenes["Row by row"]["caption"]


def test_a_global_index_into_local_data_is_an_error_where_the_data_begins_later(explorer):
    scenes = show(explorer, GLOBAL_INDEX)
    assert "ValueError: Expected shard shape" in scenes["The error"]["caption"]
    assert "process 1 ended its cell with ValueError" in scenes["The error"]["alt"]
    assert rows(scenes["Row by row"]["alt"]) == {f"p0·d{d}": [0, 1, 2, 3] for d in range(4)}
    # Where every process holds everything, a global index is a local one.
    assert "does no harm" in _caption(show(explorer, GLOBAL_INDEX, cut=1))


def test_a_wrong_global_shape_loses_rows_without_a_word(explorer):
    scenes = show(explorer, GLOBAL_SHAPE)
    assert "But the batch has 8 rows." in scenes["Who needs what"]["caption"]
    assert _caption(scenes).startswith("Rows 2-5: on no device. Instead:")
    assert explorer.stage.why == ""


def test_rows_by_process_number_make_copies_that_differ(explorer):
    scenes = show(explorer, BY_PROCESS)
    assert "Processes 0, 1 need the same rows" in scenes["Who needs what"]["caption"]
    assert "hold other rows. No error came." in scenes["What devices hold"]["caption"]
    held = rows(scenes["Row by row"]["alt"])
    assert held["p0·d0"] == held["p0·d2"] == [0, 1]
    assert held["p1·d0"] == held["p1·d2"] == [4, 5]  # the same slice of the array as p0·d0


def test_a_seed_per_process_mixes_parts_of_different_orders(explorer):
    orders = [list(order(seed)) for seed in range(2)]
    expected = {
        f"p{p}·d{d}": sorted(orders[p][4 * p : 4 * p + 4]) for p in (0, 1) for d in range(4)
    }
    scenes = show(explorer, OWN_SEED)
    assert rows(scenes["Row by row"]["alt"]) == expected
    lost = set(range(8)) - {row for held in expected.values() for row in held}
    assert lost
    assert "on no device" in _caption(scenes)
    assert "at two places" in _caption(scenes)
    assert "hold other rows" in show(explorer, OWN_SEED, cut=1)["What devices hold"]["caption"]


def order(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(ROWS)


def test_an_uneven_last_batch_makes_two_beliefs_and_two_programs(explorer):
    scenes = show(explorer, UNEVEN)
    assert "Process 0: 8 rows; process 1: 4 rows." in scenes["Who needs what"]["caption"]
    assert "launched different programs" in explorer.stage.why
    assert explorer.lab.state == "unsafe"


def test_one_that_ends_early_is_missing_in_a_roll_call_until_a_reset(explorer, monkeypatch):
    monkeypatch.setattr(explorer, "_limit", {"deadline": 2.0})
    scenes = show(explorer, ENDS_EARLY)
    assert "process 1 has ended its cell" in scenes["Roll call"]["alt"]
    assert "total = float" in scenes["Roll call"]["alt"]
    assert explorer.stage.why
    explorer.controls["way"].value = OWN_ROWS.name
    assert 'The button "Reset the lab" does that' in explorer.stage.status
    explorer.reset()
    assert rows(show(explorer, OWN_ROWS)["Row by row"]["alt"]) == needed(2)


def test_the_questions_set_up_is_one_click_that_asks_first(explorer):
    row = explorer.children[1]
    (ask,) = row.children
    ask.click()
    sure, yes, no = row.children
    assert "what your cells have made is gone" in sure.value
    no.click()
    assert len(explorer.lab.processes) == PROCESSES
    ask.click()
    yes.click()
    assert [len(process.devices) for process in explorer.lab.processes] == [1, 1, 1, 1]
    scenes = show(explorer, OWN_ROWS)
    assert rows(scenes["Who reads"]["alt"]) == {
        "process 0": [0, 1, 2, 3],
        "process 1": [0, 1, 2, 3],
        "process 2": [4, 5, 6, 7],
        "process 3": [4, 5, 6, 7],
    }
    assert rows(scenes["Row by row"]["alt"]) == needed(2, 4, 1)
    scenes = show(explorer, ONE_A_REPLICA)
    assert rows(scenes["Who reads"]["alt"])["process 1"] == []
