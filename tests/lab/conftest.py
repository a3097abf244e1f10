"""One lab for all tests of a module; each of them finds it ready and the learner's names gone."""

import pytest

import labkit

PROCESSES, DEVICES = 2, 4


@pytest.fixture(scope="module")
def lab():
    # A module's and not the session's: other modules start labs of their own; only one may live.
    with labkit.start(PROCESSES, DEVICES) as lab:
        yield lab


@pytest.fixture(scope="module")
def first_names(lab):
    return set(lab.run("list(globals())")[0])


@pytest.fixture(autouse=True)
def _as_it_was(request):
    if "lab" not in request.fixturenames:
        yield
        return
    lab, names = (request.getfixturevalue(name) for name in ("lab", "first_names"))
    ready(lab)
    yield
    ready(lab)
    lab.run(f"[globals().pop(name) for name in set(globals()) - {names!r}]")


def ready(lab) -> None:
    if lab.state != "ready":
        lab.reset()
