"""What the scenarios share: a lab whose setup cell is replayed, and the proof that it is whole."""

import re
from collections.abc import Iterable, Iterator

import pytest

import labkit
from tests.lab import shared

SETUP = """
mesh = Mesh(jax.devices(), ("i",))
me = jax.process_index()

def over(body, mesh=mesh):
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P()))

def spread(rows):
    return jax.make_array_from_process_local_data(NamedSharding(mesh, P("i")), rows)

def read(y):
    return y.addressable_data(0).tolist()

x = spread(8 * me + np.arange(8))
total = over(lambda v: jax.lax.psum(v, "i"))
largest = over(lambda v: jax.lax.pmax(v, "i"))
"""
PSUM = {0: [56, 64], 1: [56, 64]}  # sums of 0, 2, ..., 14 and of 1, 3, ..., 15


def started() -> labkit.Lab:
    """For a module's fixture ``lab``: two processes of four devices, with a setup cell."""
    lab = shared.lab(2, 4)
    lab.run(SETUP, setup=True)
    return lab


def repaired(lab: labkit.Lab, names: set[str]) -> Iterator[None]:
    """For a fixture around every test: whatever it did, a reset makes all good again."""
    lab.run("mine = 'the learner was here'")
    yield
    lab.reset()
    assert (lab.state, lab.why) == ("ready", "")
    for process, there in lab.run("list(globals())").items():
        assert public(there) == public(names), f"process {process}"
    done = lab.run("read(total(x))")
    assert (dict(done), done.trusted) == (PSUM, True)


def public(names: Iterable[str]) -> list[str]:
    """Without IPython's own, such as ``_``, and those that ipyparallel leaves behind."""
    return sorted(name for name in names if not name.startswith("_"))


def message(error: BaseException | str) -> str:
    """What is said, with every duration as N."""
    return re.sub(r"\d+(\.\d+)? s\b", "N s", str(error))


def is_unsafe(lab: labkit.Lab, *, why: str) -> None:
    """The lab says why, and refuses every way to a number."""
    assert lab.state == "unsafe"
    assert lab.why == why
    for refused in (lab.run, lab.values, lab.facts, lab.show):
        with pytest.raises(labkit.Unsafe, match="no number may be trusted"):
            refused("x")


def is_lost(lab: labkit.Lab, *, why: str) -> None:
    """The same where a process is gone."""
    assert lab.state == "lost"
    assert lab.why == why
    for refused in (lab.run, lab.values, lab.facts, lab.show):
        with pytest.raises(labkit.ProcessLost, match=r"lab\.reset\(\) makes the lab ready"):
            refused("x")
