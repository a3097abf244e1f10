"""Labels: written and read in one place."""

import pytest

from labkit.facts.labels import (
    device_label,
    host_label,
    label_at,
    label_order,
    largest_first,
    next_device,
    place_of,
    process_label,
    process_of,
)


@pytest.mark.parametrize(
    ("label", "process", "place"),
    [("p1·d0", 1, "d0"), ("p12·d34", 12, "d34"), ("p1·host", 1, "host"), ("p0·cpu3", 0, "cpu3")],
)
def test_a_label_says_its_process_and_its_place_there(label, process, place):
    assert (process_of(label), place_of(label)) == (process, place)
    assert label_at(process, place) == label


def test_a_process_alone_has_a_label_that_names_no_place():
    assert (process_label(3), process_of("p3"), place_of("p3")) == ("p3", 3, "")


def test_devices_and_memory_have_their_words():
    assert (device_label(1, 0), host_label(1)) == ("p1·d0", "p1·host")


def test_the_next_device_is_of_the_same_process_and_kind():
    assert next_device("p1·d9") == "p1·d10"
    assert [next_device(label) for label in ("p1·host", "p1·cpu0", "p1")] == ["", "", ""]


def test_labels_are_sorted_by_their_numbers():
    labels = ["p10·d0", "p2·d10", "p2·d9"]
    assert sorted(labels, key=label_order) == ["p2·d9", "p2·d10", "p10·d0"]


def test_the_largest_group_comes_first_then_that_of_the_lowest_label():
    groups = [["p10·d0"], ["p3·d0", "p2·d1"], ["p2·d0"], ["p0·d1", "p11·d0", "p0·d0"]]
    assert largest_first(groups) == (
        ("p0·d0", "p0·d1", "p11·d0"),
        ("p2·d1", "p3·d0"),
        ("p2·d0",),
        ("p10·d0",),
    )
