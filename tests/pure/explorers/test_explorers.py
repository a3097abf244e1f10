import asyncio
import threading

import pytest

from labkit import explore
from labkit.errors import ProcessLost, StartError, Unsafe
from tests.pure.made import FakeLab, processes

MAKERS = {"psum": explore.psum, "replicas": explore.replicas}


def titles(explorer) -> list[str]:
    return [run["title"] for run in explorer.stage.runs]


def captions(explorer) -> list[str]:
    return [scene["caption"] for scene in explorer.stage.runs[0]["scenes"]]


def press(explorer, name: str) -> None:
    next(b for b in explorer.children[0].children if b.description == name).click()


@pytest.mark.parametrize("name", MAKERS)
def test_in_a_script_the_scenes_are_there_at_once(name):
    explorer = MAKERS[name](FakeLab())
    assert len(captions(explorer)) >= 5
    assert (explorer.stage.status, explorer.stage.busy) == ("", False)


def test_in_a_notebook_the_cell_returns_before_the_run_has_ended():
    async def cell():
        lab = FakeLab()
        lab.gate.clear()
        explorer = explore.psum(lab)
        assert explorer.stage.runs == []
        await reached(lab)
        assert (explorer.stage.status, explorer.stage.busy) == ("running on 2 processes …", True)
        lab.gate.set()
        assert await explorer.done() is explorer
        assert len(captions(explorer)) == 7
        assert (explorer.stage.status, explorer.stage.busy) == ("", False)
        assert threading.main_thread() not in lab.threads

    asyncio.run(cell())


async def reached(lab: FakeLab) -> None:
    """Lets the loop go on until a run has begun: it would fail if runs blocked the loop."""
    for _ in range(200):
        if lab.entered.is_set():
            lab.entered.clear()
            return
        await asyncio.sleep(0.01)
    raise AssertionError("no run has begun")


def test_of_changes_during_a_run_the_last_one_counts():
    async def cell():
        lab = FakeLab()
        lab.gate.clear()
        explorer = explore.psum(lab)
        await reached(lab)
        for op in ("pmean", "pmax", "psum", "pmax"):
            explorer.controls["collective"].value = op
        lab.gate.set()
        await explorer.done()
        assert ["jax.lax.pmax" in program for program in lab.programs] == [False, True]
        assert "max(0, 2, 4, 6) = 6" in captions(explorer)[5]

    asyncio.run(cell())


def test_an_overtaken_run_is_never_shown():
    async def cell():
        lab = FakeLab()
        explorer = await explore.psum(lab).done()
        shown = []
        explorer.stage.observe(lambda change: shown.append(change.new[0]["source"]), "runs")
        lab.gate.clear()
        explorer.controls["collective"].value = "pmean"
        lab.entered.clear()
        await reached(lab)
        explorer.controls["collective"].value = "pmax"
        lab.gate.set()
        await explorer.done()
        assert len(lab.programs) == 3
        assert ["jax.lax.pmax" in source for source in shown] == [True]

    asyncio.run(cell())


def test_a_handler_may_be_called_in_any_thread():
    async def cell():
        lab = FakeLab()
        explorer = await explore.psum(lab).done()
        change = threading.Thread(
            target=setattr, args=(explorer.controls["collective"], "value", "pmean")
        )
        change.start()
        change.join()
        await explorer.done()
        assert "jax.lax.pmean" in lab.programs[-1]
        assert change not in lab.threads

    asyncio.run(cell())


@pytest.mark.parametrize(
    "error",
    [
        Unsafe("The lab is unsafe. lab.reset() makes it ready again."),
        ProcessLost("process 1 is gone (killed), lab.reset() makes the lab ready again."),
    ],
)
def test_an_error_is_said_on_the_stage_with_what_to_do(error):
    lab = FakeLab()
    explorer = explore.psum(lab)
    lab.error = error
    press(explorer, "Run again")
    assert explorer.stage.status == f"{type(error).__name__}: {error} Then press Run again."
    assert explorer.stage.runs == []  # what an earlier run gave is not what the controls say
    lab.error = None
    press(explorer, "Run again")
    assert explorer.stage.status == ""
    assert len(captions(explorer)) == 7


def test_a_stopped_lab_asks_for_a_new_explorer():
    lab = FakeLab()
    lab.state, lab.error = "stopped", RuntimeError("This lab was stopped.")
    assert explore.psum(lab).stage.status.endswith("call the explorer again, with the new lab.")


def test_an_interrupt_ends_the_run_and_not_the_kernels_loop():
    async def cell():
        lab = FakeLab()
        lab.gate.clear()
        explorer = explore.psum(lab)
        await reached(lab)
        press(explorer, "Interrupt")
        assert lab.interrupted == 1
        lab.error = KeyboardInterrupt("psum explorer was interrupted.")
        lab.gate.set()
        await explorer.done()
        assert explorer.stage.status == "psum explorer was interrupted. Then press Run again."

    asyncio.run(cell())


@pytest.mark.parametrize("state", ["unsafe", "lost"])
def test_a_broken_lab_can_be_reset_and_the_run_comes_again(state):
    async def cell():
        lab = FakeLab()
        explorer = await explore.psum(lab).done()
        assert hidden(explorer, "Reset the lab")
        lab.state, lab.error = state, Unsafe("lab.reset() makes the lab ready again.")
        press(explorer, "Run again")
        await explorer.done()
        assert not hidden(explorer, "Reset the lab")
        assert 'The button "Reset the lab" does that' in explorer.stage.status

        def reset():
            assert threading.current_thread() is not threading.main_thread()
            lab.state, lab.error = "ready", None

        lab.reset = reset
        press(explorer, "Reset the lab")
        await explorer.done()
        assert (explorer.stage.status, len(captions(explorer))) == ("", 7)
        assert hidden(explorer, "Reset the lab")

    asyncio.run(cell())


def test_a_reset_that_fails_is_said_too():
    def reset():
        raise StartError("process 1 ended while starting.")

    lab = FakeLab()
    explorer = explore.psum(lab)
    lab.state, lab.reset = "lost", reset
    press(explorer, "Reset the lab")
    assert explorer.stage.status.startswith("StartError: process 1 ended while starting.")
    assert not hidden(explorer, "Reset the lab")


def hidden(explorer, words) -> bool:
    (button,) = (b for b in explorer.children[0].children if b.description == words)
    return button.layout.display == "none"


def test_interrupt_can_be_pressed_only_during_a_run():
    async def cell():
        lab = FakeLab()
        lab.gate.clear()
        explorer = explore.psum(lab)
        await reached(lab)
        (interrupt,) = (b for b in explorer.children[0].children if b.description == "Interrupt")
        assert not interrupt.disabled
        lab.gate.set()
        await explorer.done()
        assert interrupt.disabled

    asyncio.run(cell())


def test_while_a_cell_runs_the_explorer_says_that_it_waits():
    async def cell():
        lab = FakeLab()
        lab.state = "running"
        lab.gate.clear()
        explorer = explore.psum(lab)
        await reached(lab)
        assert explorer.stage.status == "waits for the cell that runs now …"
        lab.gate.set()
        await explorer.done()

    asyncio.run(cell())


def test_while_somebody_waits_the_explorer_says_who():
    async def cell():
        lab = FakeLab()
        lab.state = "waiting"
        lab.gate.clear()
        explorer = explore.psum(lab)
        await reached(lab)
        await asyncio.sleep(0)
        assert explorer.stage.status == "process 0 waits in line 1: x; process 1 has ended"
        lab.gate.set()
        await explorer.done()
        assert explorer.stage.status == ""

    asyncio.run(cell())


@pytest.mark.parametrize("name", MAKERS)
def test_untrusted_results_carry_the_band(name):
    lab = FakeLab()
    lab.untrusted = "the processes are out of step"
    explorer = MAKERS[name](lab)
    assert explorer.stage.why == "the processes are out of step"
    assert captions(explorer)


def test_both_meshes_stand_side_by_side():
    explorer = explore.psum(FakeLab())
    assert titles(explorer) == [""]
    explorer.controls["mesh"].value = "side by side"
    assert titles(explorer) == ["local mesh", "global mesh"]


def test_a_change_keeps_the_step():
    explorer = explore.psum(FakeLab())
    explorer.stage.step = 5
    explorer.controls["mesh"].value = "global mesh"
    assert explorer.stage.step == 5


def test_two_explorers_run_in_namespaces_of_their_own():
    lab, seen = FakeLab(), []
    run = lab.run
    lab.run = lambda *a, namespace, **k: seen.append(namespace) or run(*a, namespace=namespace, **k)
    explore.psum(lab), explore.psum(lab), explore.replicas(lab)
    assert len(set(seen)) == 3


def test_an_explorer_of_replicas_says_when_the_lab_has_another_shape():
    lab = FakeLab()
    explorer = explore.replicas(lab)
    lab.processes = processes(3, 1)
    press(explorer, "Run again")
    assert "call labkit.explore.replicas(lab) for one that fits" in explorer.stage.status


def test_the_static_view_has_the_stages_captions():
    explorer = explore.psum(FakeLab())
    bundle = explorer._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
    assert captions(explorer)[1] in bundle["text/html"]
    assert "7. Read back" in bundle["text/plain"]
