"""Labs come up, change shape and go, in scripts of their own: labkit allows one lab a process."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

import labkit
from labkit.cluster import memory
from labkit.cluster.supervisor_client import can_fork
from tests.alive import alive, until
from tests.source import ROOT


def slow(value):
    return pytest.param(value, marks=pytest.mark.slow)


BOTH = ["fork", slow("plain")] if can_fork() else ["plain"]
BEGIN = """
import json, os, signal, sys, threading, time
import labkit
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
TOTAL = '''
mesh = Mesh(jax.devices(), ("i",))
x = jax.make_array_from_process_local_data(
    NamedSharding(mesh, P("i")), np.full(jax.local_device_count(), jax.process_index() + 1))
total = jax.jit(
    jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P()))
int(total(x).addressable_data(0)[0])
'''
def pids(lab):
    supervisor = lab._cluster.supervisor
    return [supervisor.pid, *supervisor.pids.values()]
def leavings():
    import psutil
    own = [t.name for t in threading.enumerate() if t.name.startswith("labkit")]
    return [child.name() for child in psutil.Process().children(recursive=True)] + own
def tell(**said):
    print(json.dumps(said), flush=True)
"""


def script(source: str, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + textwrap.dedent(source)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def told(source: str, **options) -> dict:
    """What a script told, once it has ended well."""
    with script(source, **options) as running:
        said = [json.loads(line) for line in running.stdout]
    assert running.returncode == 0
    return {name: value for one in said for name, value in one.items()}


@pytest.fixture(scope="module", params=BOTH)
def life(request):
    """A whole life of a lab, as its script saw it."""
    return told(f"""
        lab = labkit.start(processes=2, devices=3, launch="{request.param}")
        tell(
            state=lab.state,
            repr=repr(lab),
            processes=[
                (p.index, p.count, p.global_devices, [d.label for d in p.devices], p.pid)
                for p in lab.processes
            ],
            engines=[lab.client[i].apply_sync(os.getpid) for i in sorted(lab.client.ids)],
            ids=sorted(lab.client.ids),
            total=list(lab.run(TOTAL).values()),
            current=labkit.current() is lab,
            mode=lab._cluster.mode,
            folder=lab._cluster.folder,
            first=pids(lab),
        )
        try:
            labkit.start()
        except labkit.StartError as error:
            tell(second=str(error), still=lab.state)
        assert lab.reset(processes=4, devices=1) is lab
        tell(
            shape=[(p.index, p.count, len(p.devices)) for p in lab.processes],
            total_4=list(lab.run(TOTAL).values()),
            repr_4=repr(lab),
            last=pids(lab),
        )
        began = time.monotonic()
        lab.stop()
        tell(stop=time.monotonic() - began, stopped=repr(lab), gone=labkit.current() is None)
        lab.stop()
        for act in (lambda: lab.run("1"), lab.reset, lambda: lab.values("x"), lab.roll_call):
            try:
                act()
            except labkit.LabError as error:
                tell(after=str(error))
            else:
                raise AssertionError("a stopped lab did something")
        tell(left=leavings(), jax="jax" in sys.modules)
    """)


def test_a_lab_that_has_started_is_ready_and_the_counts_add_up(life):
    assert life["state"] == "ready"
    assert life["repr"] == "Lab(ready: 2 processes × 3 devices)"
    for index, (told_index, count, everywhere, devices, _) in enumerate(life["processes"]):
        assert (told_index, count, everywhere) == (index, 2, 6)
        assert devices == [f"p{index}·d{n}" for n in range(3)]
    assert life["total"] == [9, 9]
    assert life["current"]


def test_an_engine_has_the_number_of_its_process(life):
    assert life["ids"] == [0, 1]
    assert life["engines"] == [pid for *_, pid in life["processes"]]


def test_a_second_start_says_what_to_do_and_leaves_the_first_lab_alone(life):
    assert "has a lab already: Lab(ready: 2 processes × 3 devices)" in life["second"]
    assert "lab.reset(processes=..., devices=...)" in life["second"]
    assert life["still"] == "ready"


def test_a_reset_can_change_the_shape(life):
    assert life["shape"] == [[index, 4, 1] for index in range(4)]
    assert life["total_4"] == [10] * 4
    assert life["repr_4"] == "Lab(ready: 4 processes × 1 devices)"


def test_stop_is_quick_and_leaves_nothing(life):
    assert life["stop"] < 3
    assert life["left"] == []
    assert not alive(life["first"] + life["last"])
    assert not Path(life["folder"]).exists()


def test_a_stopped_lab_says_so(life):
    assert life["stopped"].startswith("Lab(stopped")
    assert life["gone"]
    assert "labkit.start() starts a new one" in life["after"]


def test_all_this_brings_no_jax_into_the_learners_process(life):
    assert life["jax"] is False


def test_a_with_block_stops_the_lab_also_when_it_fails():
    said = told("""
        try:
            with labkit.start(processes=1, devices=1) as lab:
                tell(pids=pids(lab), state=lab.state)
                raise ZeroDivisionError
        except ZeroDivisionError:
            tell(after=lab.state, left=leavings())
    """)
    assert (said["state"], said["after"], said["left"]) == ("ready", "stopped", [])
    assert not alive(said["pids"])


@pytest.mark.parametrize("launch", BOTH)
def test_nothing_outlives_a_script_that_is_killed(launch):
    source = f"""
        lab = labkit.start(processes=2, devices=1, launch="{launch}")
        tell(pids=pids(lab), folder=lab._cluster.folder)
        lab.run("while True: pass")
    """
    with script(source) as running:
        said = json.loads(running.stdout.readline())
        assert alive(said["pids"]) == said["pids"]
        time.sleep(0.3)  # the cell runs
        running.kill()
    assert until(lambda: not alive(said["pids"])), f"{alive(said['pids'])} of {said} live on"
    assert until(lambda: not Path(said["folder"]).exists())


@pytest.mark.slow
def test_nothing_outlives_a_script_that_forgets_to_stop():
    said = told("""
        lab = labkit.start(processes=1, devices=1)
        tell(pids=pids(lab), folder=lab._cluster.folder)
    """)
    assert not alive(said["pids"])
    assert not Path(said["folder"]).exists()


def test_a_port_that_was_taken_meanwhile_is_tried_again():
    said = told("""
        import socket
        from labkit.cluster import ports
        taken = socket.socket()
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        free, tried = ports.free_port, []
        def port():
            tried.append(taken.getsockname()[1] if not tried else free())
            return tried[-1]
        ports.free_port = port
        with labkit.start(processes=2, devices=1) as lab:
            tell(total=list(lab.run(TOTAL).values()), tried=len(tried))
        tell(left=leavings())
    """)
    assert said == {"total": [3, 3], "tried": 2, "left": []}


@pytest.mark.parametrize("fails", [slow("wholly"), "in part"])
def test_a_controller_that_lost_a_port_is_started_again(fails):
    said = told(f"""
        from labkit.cluster import cluster
        cluster._CONTROLLER = "tests.lab.deaf"
        os.environ["LABKIT_TEST_FAILS"] = "{fails}"
        began = time.monotonic()
        with labkit.start(processes=1, devices=1) as lab:
            tell(total=list(lab.run(TOTAL).values()), seconds=time.monotonic() - began)
    """)
    assert said["total"] == [1]
    assert said["seconds"] < 50


def test_a_process_that_ends_while_starting_is_named_with_what_it_wrote():
    said = told("""
        try:
            labkit.start(processes=2, devices=1, platform="nonsense")
        except labkit.StartError as error:
            tell(error=str(error), left=leavings(), gone=labkit.current() is None)
    """)
    assert "ended (exit status 1) while starting" in said["error"]
    assert "nonsense" in said["error"]
    assert (said["left"], said["gone"]) == ([], True)


@pytest.mark.parametrize("after", [slow(0.2), 1.0])
def test_a_start_that_is_interrupted_leaves_nothing(after):
    said = told(f"""
        import _thread, ipyparallel, labkit.lab.start  # an import would swallow the interrupt
        threading.Timer({after}, _thread.interrupt_main).start()
        try:
            with labkit.start(processes=2, devices=1):
                time.sleep(5)  # it was quicker
        except KeyboardInterrupt:
            tell(left=leavings(), gone=labkit.current() is None)
    """)
    assert said == {"left": [], "gone": True}


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_ends_the_wait_and_not_the_processes():
    source = """
        lab = labkit.start(processes=2, devices=1)
        tell(pids=pids(lab))
        try:
            lab.run("import time; time.sleep(60)", progress=lambda outputs: tell(runs=1))
        except KeyboardInterrupt as error:
            tell(words=str(error), state=lab.state, gone=lab._cluster.gone())
        lab.reset()
        tell(total=list(lab.run(TOTAL).values()))
    """
    with script(source, start_new_session=True) as running:
        lines = map(json.loads, running.stdout)
        said = next(lines) | next(lines)
        os.killpg(running.pid, signal.SIGINT)
        for line in lines:
            said |= line
    assert said["gone"] == {}
    assert "was interrupted. lab.reset()" in said["words"]
    assert said["state"] == "unsafe"
    assert said["total"] == [3, 3]
    assert not alive(said["pids"])


class TestRefused:
    @pytest.fixture(autouse=True)
    def _before_anything_starts(self):
        before = psutil.Process().children(recursive=True)
        yield
        assert psutil.Process().children(recursive=True) == before
        assert labkit.current() is None

    @pytest.mark.parametrize("value", [0, -2, 1.5, True, "2", None])
    @pytest.mark.parametrize("name", ["processes", "devices"])
    def test_are_numbers_that_are_not_whole(self, name, value):
        with pytest.raises(labkit.LabError, match=rf"{name}=.* was given; expected a whole number"):
            labkit.start(**{name: value})

    def test_are_more_processes_than_memory_holds(self, monkeypatch):
        monkeypatch.setattr(memory, "free_mb", lambda: 600)
        with pytest.raises(labkit.StartError, match="600 MB are free: this machine holds 4 now"):
            labkit.start(processes=5)

    def test_is_a_way_to_launch_that_there_is_not(self):
        with pytest.raises(labkit.LabError, match="launch='forks' was given; expected one of"):
            labkit.start(launch="forks")
