import numpy as np
import pytest

from labkit.compiled import groups


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}", ((0, 1, 2, 3),)),
        ("{{0,1,2,3}}", ((0, 1, 2, 3),)),
        ("{{0,1},{2,3}}", ((0, 1), (2, 3))),
        ("[2,2]<=[4]", ((0, 1), (2, 3))),
        ("[2,2]<=[2,2]T(1,0)", ((0, 2), (1, 3))),
        ("mesh['i'=2,'j'=2] {'j'}", ((0, 1), (2, 3))),
        ("mesh['i'=2,'j'=2] {'i'}", ((0, 2), (1, 3))),
        ("mesh['i'=2,'j'=2] {'i','j'}", ((0, 1, 2, 3),)),
        ("mesh['i'=2,'j'=2] {'j','i'}", ((0, 2, 1, 3),)),
        ("mesh['i'=2,'j'=2] {'k'}", ()),
        ("something else", ()),
    ],
)
def test_groups_are_read_from_every_way_they_are_written(text, found):
    assert groups(text, 4) == found


def test_groups_over_the_middle_of_three_axes_are_those_numpy_gives():
    table = np.arange(24).reshape(2, 3, 4).transpose(0, 2, 1).reshape(-1, 3)
    assert groups("[8,3]<=[2,3,4]T(0,2,1)", 24) == tuple(map(tuple, table.tolist()))
    assert groups("mesh['a'=2,'b'=3,'c'=4] {'b'}", 24) == tuple(map(tuple, table.tolist()))
