"""Collectives read from compiled text, of both versions of JAX and of compilers that wait later."""

import numpy as np
import pytest

from labkit.analysis.hlo import collectives, groups
from labkit.facts import Source

DEVICES = tuple(f"p{p}·d{d}" for p in range(2) for d in range(4))
ROWS = (DEVICES[:4], DEVICES[4:])
COLUMNS = tuple(zip(*ROWS, strict=True))
TABLES = """\
HloModule jit_f, num_partitions=8

FileNames
1 "cell 1"
2 "/usr/lib/python3/site-packages/jax/x.py"
3 "/models/model.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=8 end_column=28}
2 {file_name_id=2 function_name_id=1 line=9 end_line=9 column=0 end_column=4}
3 {file_name_id=3 function_name_id=1 line=7 end_line=7 column=4 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}
3 {file_location_id=3 parent_frame_id=1}
4 {file_location_id=2 parent_frame_id=4}

"""


def one(line):
    (found,) = collectives(TABLES + line, DEVICES)
    return found


@pytest.mark.parametrize(
    ("written", "groups"),
    [
        ("{{0,1,2,3},{4,5,6,7}}", ROWS),
        ("[2,4]<=[8]", ROWS),
        ("[4,2]<=[2,4]T(1,0)", COLUMNS),
        ("mesh['axis_0'=2,'axis_1'=4] {'axis_1'}", ROWS),
        ("mesh['x'=2,'y'=4] {'x'}", COLUMNS),
        ("{}", (DEVICES,)),
        ("a form nobody knows", ()),
    ],
)
def test_groups_are_devices_however_they_are_written(written, groups):
    line = (
        f"  %r.1 = f32[4]{{0}} all-reduce(%a), channel_id=1, replica_groups={written}, to_apply=%s"
    )
    found = one(line)
    assert found.groups == groups
    assert (found.op, found.bytes, found.by) == ("all-reduce", 16, "compiler")
    assert found.text == line.strip()
    size = len(groups[0]) if groups else 0
    assert found.moved == (round(16 * 2 * (size - 1) / size) if size else 0)


@pytest.mark.parametrize(
    ("line", "op", "given", "moved"),
    [
        ("%g = f32[8,2]{1,0} all-gather(%p), replica_groups=[2,4]<=[8]", "all-gather", 16, 48),
        ("%s = bf16[2]{0} reduce-scatter(%p), replica_groups=[2,4]<=[8]", "reduce-scatter", 16, 12),
        ("%t = f32[8]{0} all-to-all(%p), replica_groups=[2,4]<=[8]", "all-to-all", 32, 24),
        (
            "%c = (f32[], f32[2,8]{1,0}) all-reduce(%a, %b), replica_groups={}",
            "all-reduce",
            68,
            119,
        ),
        ("%b = pred[8]{0} all-reduce(%a), replica_groups={}", "all-reduce", 8, 14),
        ("%k = u8[8]{0} collective-broadcast(%a), replica_groups={}", "collective-broadcast", 8, 0),
        (
            "ROOT %as = (f32[2]{0}, f32[8]{0}) all-gather-start(%p), replica_groups=[2,4]<=[8]",
            *("all-gather", 8, 24),
        ),
    ],
)
def test_bytes_are_those_one_device_gives_and_sends(line, op, given, moved):
    found = one(f"  {line}")
    assert (found.op, found.bytes, found.moved) == (op, given, moved)


def test_a_permute_has_pairs():
    found = one("  %p = s32[2]{0} collective-permute(%a), source_target_pairs={{0,4},{4,0}}, x=1")
    assert found.sends == (("p0·d0", "p1·d0"), ("p1·d0", "p0·d0"))
    assert (found.groups, found.bytes, found.moved) == ((), 8, 8)


@pytest.mark.parametrize(
    ("frame", "where"),
    [
        (1, Source("cell 1", 3)),
        (2, Source("cell 1", 3)),
        (3, Source("model.py", 7)),
        (4, Source()),
        (9, Source()),
    ],
)
def test_the_line_is_the_innermost_of_the_learners(frame, where):
    line = f"  %r = f32[] all-reduce(%a), replica_groups={{}}, metadata={{stack_frame_id={frame}}}"
    assert one(line).source == where


def test_a_line_that_is_known_comes_with_its_text_and_span():
    known = Source("cell 1", 3, "    a = lax.psum(v, 'y')", (8, 24))
    line = "  %r = f32[] all-reduce(%a), replica_groups={}, metadata={stack_frame_id=2}"
    (found,) = collectives(TABLES + line, DEVICES, [known])
    assert found.source == known


def test_a_group_beyond_the_devices_is_left_to_the_text():
    assert one("  %r = f32[] all-reduce(%a), replica_groups={{0,9}}").groups == ()


def test_a_text_without_collectives_has_none():
    assert collectives(TABLES + "  %r = f32[] add(%all-reduce.1, %b)", DEVICES) == ()


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
