"""What a process told, as facts; the comparison of several is tested on real processes."""

from labkit import flights


def told(groups: str, partitions: tuple[int, ...] = (2, 3)) -> dict:
    bars = [
        (place, "psum.7", "jit_f", 5, 10, 20, partition)
        for place, partition in enumerate(partitions)
    ]
    return {
        "launches": [("jit_f", 5, 3, 9, 4, 2)],
        "bars": bars,
        "modules": {5: 77},
        "joins": {77: {"psum.7": groups}} if groups else {},
        "capped": False,
        "yielded": False,
        "gaps": [(1, 2)],
    }


def test_devices_have_their_labels_and_launches_their_lines():
    found = flights.flight(1, told("{}"))
    assert [bar.device for bar in found.bars] == ["p1·d0", "p1·d1"]
    assert (found.launches[0].line, found.launches[0].spans) == (3, True)
    assert found.gaps == ((1, 2),)


def test_each_operation_has_its_devices_group():
    def grouped(*args):
        return [(bar.group, bar.size) for bar in flights.flight(1, told(*args)).bars]

    assert grouped("{}") == [(0, 4), (0, 4)]
    assert grouped("{{0,1},{2,3}}") == [(1, 2), (1, 2)]
    assert grouped("{{0,2},{1,3}}") == [(0, 2), (1, 2)]
    assert grouped("{{0,2},{1,3}}", (3, 0)) == [(1, 2), (0, 2)]  # a mesh in another order
    assert grouped("") == grouped("{}", (-1, -1)) == [(-1, 0), (-1, 0)]  # not known
