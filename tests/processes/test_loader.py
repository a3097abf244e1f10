"""The loader of lesson 06, against numpy over the whole file, in plain processes."""

import numpy as np
import pytest

from labkit import rows
from tests.processes import harness, loading

FILE = list(range(24))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    paths = [str(rows.write(folder, "numbers", count)) for count in (24, 22)]
    return harness.run(loading.told, *paths)


def batches(processes, case) -> list[list[int]]:
    """The rows of each batch in their places, put together from what all devices hold."""
    found = []
    for step in zip(*(told[case] for told in processes), strict=True):
        placed = {}
        for first, held in (device for process in step for device in process):
            for place, row in enumerate(held, first):
                assert placed.setdefault(place, row) == row, "copies differ"
        assert sorted(placed) == list(range(loading.BATCH))
        found.append([placed[place] for place in sorted(placed)])
    return found


@pytest.mark.parametrize("layout", loading.LAYOUTS)
class TestLayout:
    def test_every_row_comes_once_in_each_epoch(self, told, layout):
        found = batches(told, layout)
        for epoch in (found[:3], found[3:]):
            assert sorted(np.concatenate(epoch)) == FILE

    def test_epochs_are_shuffled_and_not_in_the_same_way(self, told, layout):
        found = batches(told, layout)
        first, second = (np.concatenate(epoch).tolist() for epoch in (found[:3], found[3:]))
        assert first != FILE
        assert first != second

    def test_all_processes_end_after_the_same_step(self, told, layout):
        assert all(process[f"{layout}: ends"] for process in told)

    @pytest.mark.parametrize("k", [1, 4])
    def test_after_a_restart_at_a_step_the_rest_is_as_it_was(self, told, layout, k):
        for process in told:
            parts = (dict(devices) for devices in process[layout])  # copies count once
            own = [[row for first in sorted(part) for row in part[first]] for part in parts]
            assert process[f"{layout}: again"][k] == own[k:]


def test_a_batch_has_the_same_rows_on_every_mesh(told):
    # the order is made for the whole file and then shared out, so it does not know the mesh
    sets = [[sorted(b) for b in batches(told, layout)] for layout in loading.LAYOUTS]
    assert all(found == sets[0] for found in sets)


def test_rows_that_do_not_fill_a_batch_are_left_out_everywhere(told):
    assert [process["short"] for process in told] == [[4, 4], [4, 4]]


def test_a_process_reads_its_own_rows_and_no_others(told):
    first, second = (process["reads"] for process in told)
    assert len(first) == len(second) == 12
    assert sorted(first + second) == FILE


def test_files_of_different_lengths_are_refused_in_every_process(told):
    for process in told:
        assert "[[24, 8, 7, 1], [22, 8, 7, 1]]" in process["lengths differ"]


def test_copies_that_differ_are_found_in_every_process(told):
    assert [process["copies differ"] for process in told] == ["ReplicasDiffer"] * 2


def test_the_recipe_stays_short():
    lines = [line for line in loading.recipe().splitlines() if line.strip()]
    assert len(lines) < 40
