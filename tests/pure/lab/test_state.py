"""The words for the lab's state, and what is refused in them."""

import pytest

from labkit.errors import LabError, ProcessLost, Unsafe
from labkit.lab.state import LabState

GONE = {1: "exit status 3"}


class Gone(dict):
    """Processes that are not there any more, called as the state calls for them."""

    def __call__(self) -> dict[int, str]:
        return dict(self)


@pytest.fixture
def gone():
    return Gone()


@pytest.fixture
def state(gone):
    return LabState(gone)


@pytest.mark.parametrize("word", ["ready", "running", "unsafe"])
def test_a_lab_is_lost_as_soon_as_a_process_is_gone(state, gone, word):
    state.become(word, "somebody left early.")
    gone.update(GONE)
    assert (state.word, state.why) == ("lost", "process 1 is gone (exit status 3)")
    with pytest.raises(ProcessLost, match=r"process 1 is gone .*lab\.reset\(\)") as raised:
        state.require_safe()
    assert raised.value.by_process == GONE


@pytest.mark.parametrize("word", ["starting", "stopped"])
def test_who_is_gone_does_not_count_before_the_lab_is_ready_and_after_its_end(state, gone, word):
    gone.update(GONE)
    state.become(word)
    assert (state.word, state.why) == (word, "")


def test_reading_changes_nothing(state, gone):
    state.become("unsafe", "somebody left early.")
    before = vars(state).copy()
    gone.update(GONE)
    assert (state.word, bool(state.why)) == ("lost", True)
    assert vars(state) == before
    gone.clear()
    assert (state.word, state.why) == ("unsafe", "somebody left early.")


def test_what_was_said_to_be_lost_stays_so_with_its_reason(state, gone):
    state.become("lost", "the reset failed: no room")
    gone.update(GONE)
    assert (state.word, state.why) == ("lost", "the reset failed: no room")


@pytest.mark.parametrize("word", ["ready", "running", "unsafe", "starting"])
def test_somebody_waits_only_in_a_cell_that_runs(state, word):
    state.become(word)
    state.waiting = True
    assert state.word == ("waiting" if word == "running" else word)
    state.waiting = False
    assert state.word == word


def test_an_unsafe_lab_is_read_only_by_who_says_so(state):
    state.become("unsafe", "somebody left early.")
    state.require_readable(untrusted=True)
    with pytest.raises(Unsafe, match=r"may be trusted: somebody left early\."):
        state.require_readable(untrusted=False)


def test_a_stopped_lab_stays_stopped(state):
    state.become("stopped")
    state.become("ready")
    assert state.word == "stopped"
    for refuse in (state.require_not_stopped, state.require_safe):
        with pytest.raises(LabError, match=r"labkit\.start\(\)"):
            refuse()
