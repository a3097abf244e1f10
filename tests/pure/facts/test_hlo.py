"""Patterns of compiled text, on lines as XLA writes them."""

import re

import pytest

from labkit.facts.hlo import CALL, COLLECTIVES, GROUPS


@pytest.mark.parametrize("name", COLLECTIVES)
@pytest.mark.parametrize("start", ["", "-start"])
def test_a_call_is_found_by_its_whole_name(name, start):
    line = f"  %r.1 = f32[4]{{0}} {name}{start}(%a.2), channel_id=1"
    assert re.findall(rf"\b{CALL}", line) == [(name, start)]


@pytest.mark.parametrize(
    "line",
    [
        "  %all-reduce.1 = f32[4]{0} add(%a, %b)",
        "  %r = f32[4]{0} all-reduce-done(%all-reduce-start.1)",
        "  %r = f32[4]{0} broadcast(%a)",
    ],
)
def test_a_name_without_a_call_is_none(line):
    assert not re.search(rf"\b{CALL}", line)


@pytest.mark.parametrize(
    "written", ["{}", "{{0,1},{2,3}}", "[2,2]<=[4]", "[2,2]<=[2,2]T(1,0)", "mesh['i'=2] {'i'}"]
)
def test_groups_end_where_the_next_attribute_begins(written):
    (found,) = re.findall(GROUPS, f"all-reduce(%a), replica_groups={written}, to_apply={{%s}}")
    assert found == written
