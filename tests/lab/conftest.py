"""One lab for many tests; each of them finds it ready and the learner's names gone."""

import pytest

from tests.lab import shared

PROCESSES, DEVICES = 2, 4


@pytest.fixture(scope="module")
def lab():
    return shared.lab(PROCESSES, DEVICES)


@pytest.fixture(scope="package", autouse=True)
def _none_afterwards():
    yield
    shared.stop()


@pytest.fixture(scope="module", autouse=True)
def _none_where_tests_start_their_own(request):
    own = (item for item in request.session.items if item.path == request.path)
    if not any("lab" in item.fixturenames for item in own):
        shared.stop()


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
