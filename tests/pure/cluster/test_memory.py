import psutil
import pytest

from labkit.cluster import memory
from labkit.errors import StartError

MB = 2**20


@pytest.mark.parametrize(("free", "fits"), [(0, 0), (100, 0), (300, 1), (1000, 7), (4000, 34)])
def test_what_fits_is_let_through_and_one_more_is_not(free, fits):
    memory.require_room(fits, free)
    with pytest.raises(StartError) as raised:
        memory.require_room(fits + 1, free)
    assert f"{fits + 1} processes need about" in str(raised.value)
    assert f"{free} MB are free" in str(raised.value)
    assert f"this machine holds {fits} now" in str(raised.value)


def test_this_machine_holds_two_processes_and_not_a_million():
    memory.require_room(2)
    with pytest.raises(StartError, match="1000000 processes need about"):
        memory.require_room(1_000_000)


@pytest.fixture
def container(monkeypatch, tmp_path):
    def make(limit, used):
        (tmp_path / "limit").write_text(limit)
        (tmp_path / "used").write_text(used)
        monkeypatch.setattr(
            memory,
            "_CGROUPS",
            [(tmp_path / "limit", tmp_path / "used"), (tmp_path / "none", tmp_path / "none")],
        )

    return make


def test_a_container_has_what_its_own_limit_leaves(container):
    container(f"{100 * MB}\n", f"{30 * MB}\n")
    assert memory.free_mb() == 70


def test_a_container_that_is_full_has_nothing(container):
    container(f"{100 * MB}\n", f"{130 * MB}\n")
    assert memory.free_mb() == 0


@pytest.mark.parametrize("limit", ["max\n", f"{2**63 - 4096}\n"])
def test_a_container_without_a_limit_has_what_the_machine_has(container, limit):
    container(limit, "0\n")
    assert memory.free_mb() == pytest.approx(psutil.virtual_memory().available / MB, rel=0.2)
