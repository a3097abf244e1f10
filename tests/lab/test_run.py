"""Cells: what comes back, what is shown, what is refused, what ends a wait, what is not trusted."""

import asyncio
import sys
import threading
import time

import ml_dtypes
import numpy as np
import pytest

import labkit
from labkit import facts
from labkit.lab import roll_call

GLOBAL = """
mesh = Mesh(jax.devices(), ("i",))
mine = 8 * jax.process_index() + np.arange(8)
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("i")), mine)
total = jax.jit(
    jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
)
"""
TOTAL = "total(x).addressable_data(0).tolist()"
ONE_MISSING = "if jax.process_index() == 0:\n    total(x).block_until_ready()\n"
LABELS = [f"p{p}·d{d}" for p in range(2) for d in range(4)]


def texts(done) -> dict[int, str]:
    return {output.process: output.text for output in done.outputs}


class TestValues:
    def test_are_a_mapping_from_process_to_the_last_expression(self, lab):
        done = lab.run("a = 10\na * jax.process_index()")
        assert dict(done) == {0: 0, 1: 10}
        assert done.trusted
        assert lab.last is done

    def test_are_none_where_the_last_line_is_no_expression(self, lab):
        assert dict(lab.run("a = 1")) == {0: None, 1: None}
        assert dict(lab.run("")) == {0: None, 1: None}

    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("None", None),
            ("[1, 2.5, True, 'a', b'b', 1j]", [1, 2.5, True, "a", b"b", 1j]),
            ("(1, {2, 3}, {'k': [4]})", (1, {2, 3}, {"k": [4]})),
            ("np.float32(0.5)", np.float32(0.5)),
            ("jax.process_count()", 2),
            ("jnp.int32(3)", np.int32(3)),
            ("{'x': jnp.arange(3)}['x'].sum()", 3),
        ],
    )
    def test_are_plain_data(self, lab, source, expected):
        for value in lab.run(source).values():
            assert value == expected
            if not isinstance(value, np.ndarray):
                assert type(value) is type(expected)

    @pytest.mark.parametrize("dtype", ["int8", "bool", "float32", "bfloat16", "complex64"])
    def test_that_are_arrays_of_a_process_alone_are_numpys(self, lab, dtype):
        expected = np.arange(6).reshape(2, 3).astype(getattr(ml_dtypes, dtype, dtype))
        for value in lab.run(f"jnp.arange(6).reshape(2, 3).astype('{dtype}')").values():
            assert type(value) is np.ndarray
            assert value.dtype == expected.dtype
            np.testing.assert_array_equal(value, expected)

    def test_that_are_one_array_over_all_processes_are_a_fact_with_all_its_shards(self, lab):
        for value in lab.run(GLOBAL + "x").values():
            assert isinstance(value, facts.Array)
            assert value.spans
            assert [shard.device for shard in value.shards] == LABELS
            held = np.concatenate([shard.value for shard in value.shards])
            np.testing.assert_array_equal(held, np.arange(16))

    def test_that_are_meshes_and_objects_are_facts(self, lab):
        mesh, thing = lab.run(GLOBAL + "(mesh, total)")[0]
        assert mesh == facts.Mesh(("i",), (8,), tuple(LABELS), ("Auto",))
        assert isinstance(thing, facts.Thing)

    def test_bring_no_jax_into_this_process(self, lab):
        lab.run(GLOBAL + "[x, mesh, mine, jax.random.key(0), jnp.bfloat16(1)]")
        assert "jax" not in sys.modules


class TestSource:
    def test_may_be_a_function(self, lab):
        def rows():
            import math

            return math.prod((jax.process_index() + 1, 3))  # noqa: F821  (a start name there)

        assert dict(lab.run(rows)) == {0: 3, 1: 6}

    def test_has_the_start_names(self, lab):
        names = "jax", "jnp", "np", "Mesh", "P", "NamedSharding", "multihost_utils"
        assert all(lab.run(f"[name in globals() for name in {names}]")[1])

    def test_may_use_ipythons_commands(self, lab):
        assert "from a shell" in texts(lab.run("!echo from a shell"))[1]

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"code": "y = = 2"}, "not Python yet, and was not sent"),
            ({"code": 3}, "int was given"),
            ({"code": "1", "on": 2}, "this lab has processes 0, 1"),
            ({"code": "1", "on": "all"}, "this lab has processes 0, 1"),
            ({"code": "1", "deadline": 0}, "expected seconds"),
            ({"code": "1", "deadline": "soon"}, "expected seconds"),
        ],
    )
    def test_or_arguments_that_make_no_sense_are_refused_and_nothing_is_sent(
        self, lab, arguments, words
    ):
        before = lab.last
        with pytest.raises(labkit.LabError, match=words):
            lab.run(**arguments)
        assert (lab.state, lab.last) == ("ready", before)

    @pytest.mark.parametrize("on", [1, "1", [1]])
    def test_runs_in_the_chosen_processes_alone(self, lab, on):
        lab.run("here = False")
        done = lab.run("here = True\nhere", on=on)
        assert dict(done) == {1: True}
        assert [output.process for output in done.outputs] == [1]
        assert dict(lab.run("here")) == {0: False, 1: True}

    def test_in_a_private_namespace_does_not_touch_the_learners_names(self, lab):
        lab.run("a = 'learner'")
        lab.run("a = 'explorer'\nb = jnp.arange(2)", namespace="explorer")
        assert lab.run("a, 'b' in globals()")[0] == ("learner", False)
        assert lab.run("a", namespace="explorer")[0] == "explorer"
        assert lab.facts("b", namespace="explorer").arrays[0].shape == (2,)
        with pytest.raises(labkit.LabError, match="No process has a name 'b'"):
            lab.facts("b")


class TestOutputs:
    def test_are_what_each_process_printed_in_order(self, lab):
        done = lab.run("for n in range(3): print(n, 'on', jax.process_index())")
        assert texts(done) == {p: "".join(f"{n} on {p}\n" for n in range(3)) for p in (0, 1)}
        assert [output.process for output in done.outputs] == [0, 1]
        assert {output.status for output in done.outputs} == {""}

    def test_are_complete_however_much_was_printed(self, lab):
        lines = "".join(f"line {n}\n" for n in range(5000))
        for _ in range(3):
            done = lab.run("for n in range(5000): print('line', n)")
            assert texts(done) == {0: lines, 1: lines}

    def test_hold_what_was_written_to_stderr_too(self, lab):
        assert "careful" in texts(lab.run("import sys; print('careful', file=sys.stderr)"))[1]

    def test_come_while_the_cell_runs(self, lab):
        seen = []
        lab.run(
            "import time\nprint('early', flush=True)\ntime.sleep(0.8)\nprint('late')",
            progress=lambda outputs: seen.append([output.text for output in outputs]),
        )
        assert ["early\n", "early\n"] in seen

    @pytest.mark.parametrize("progress", [None, lambda outputs: None])
    def test_are_made_while_it_runs_only_for_who_asks(self, lab, monkeypatch, progress):
        made = []

        def outputs(*given):
            made.append(roll_call.outputs(*given))
            return made[-1]

        monkeypatch.setattr("labkit.lab.watchdog.outputs", outputs)
        done = lab.run("import time; time.sleep(0.5)", progress=progress)
        assert made[-1] == done.outputs
        assert len(made) == 1 if progress is None else len(made) > 3

    def test_show_the_last_expression_as_ipython_does(self, lab):
        results = [o.result for o in lab.run("{'a': jax.process_index()}").outputs]
        assert [r["text/plain"] for r in results] == ["{'a': 0}", "{'a': 1}"]
        assert [o.result for o in lab.run("1;").outputs] == [{}, {}]

    def test_hold_figures_and_what_was_displayed(self, lab):
        pytest.importorskip("matplotlib")
        done = lab.run(
            "import matplotlib.pyplot as plt\nfrom IPython.display import HTML, display\n"
            "display(HTML('<b>bold</b>'))\nplt.plot([jax.process_index(), 1])\nNone"
        )
        for output in done.outputs:
            kinds = [set(bundle) for bundle in output.displays]
            assert any("text/html" in kind for kind in kinds)
            assert any("image/png" in kind for kind in kinds)
        pictures = [bundle.get("image/png") for o in done.outputs for bundle in o.displays]
        assert len(set(filter(None, pictures))) == 2, "each process drew its own"

    def test_leave_what_xla_and_gloo_write_to_the_log(self, lab):
        done = lab.run(GLOBAL + TOTAL)
        assert not any("[Gloo]" in text for text in texts(done).values())
        assert "[Gloo]" in lab.log(0)

    def test_leave_what_a_process_writes_beneath_python_to_the_log(self, lab):
        done = lab.run("import os; os.write(2, b'from beneath\\n');", on=1)
        assert texts(done) == {1: ""}
        assert "from beneath" in lab.log(1)
        assert "from beneath" not in lab.log(0)


class TestAnException:
    def test_comes_with_its_process_and_the_learners_own_lines_once(self, lab):
        lab.run("def halve(n):\n    return 1 / n")
        with pytest.raises(labkit.ProcessError) as raised:
            lab.run("print('before')\nfirst = 1\nhalve(jax.process_index())")
        assert list(raised.value.by_process) == [0]
        failure = raised.value.by_process[0]
        assert (failure.type, failure.message) == ("ZeroDivisionError", "division by zero")
        assert [(line, text.strip()) for _, line, text in failure.lines] == [
            (3, "halve(jax.process_index())"),
            (2, "return 1 / n"),
        ]
        assert "return 1 / n" in failure.traceback
        assert texts(raised.value)[0] == "before\n"

    def test_in_one_process_leaves_the_lab_ready(self, lab):
        with pytest.raises(labkit.ProcessError):
            lab.run("if jax.process_index() == 1: raise ValueError('one too many')")
        assert lab.state == "ready"
        assert dict(lab.run(GLOBAL + TOTAL)) == {0: [56, 64], 1: [56, 64]}

    def test_inside_jax_shows_the_learners_line_and_not_jaxs(self, lab):
        with pytest.raises(labkit.ProcessError) as raised:
            lab.run("a = jnp.ones(3)\na @ jnp.ones(4)")
        assert list(raised.value.by_process) == [0, 1]
        for failure in raised.value.by_process.values():
            assert [text for _, _, text in failure.lines] == ["a @ jnp.ones(4)"]

    @pytest.mark.parametrize("source", ["import sys; sys.exit(3)", "raise SystemExit", "exit()"])
    def test_is_also_what_an_exit_is(self, lab, source):
        pids = [process.pid for process in lab.processes]
        with pytest.raises(labkit.ProcessError, match="SystemExit"):
            lab.run(source)
        assert lab.state == "ready"
        assert dict(lab.run("import os; os.getpid()")) == dict(enumerate(pids))

    def test_in_work_that_was_only_dispatched_is_this_cells_and_no_later_ones(self, lab):
        with pytest.raises(labkit.ProcessError, match="inside the work"):
            lab.run(
                "def fails(v): raise ValueError('inside the work')\n"
                "y = jax.jit(lambda v: jax.pure_callback(fails, v, v))(jnp.float32(1))\nNone"
            )
        assert dict(lab.run("1")) == {0: 1, 1: 1}

    def test_of_syntax_that_python_finds_late_has_its_line(self, lab):
        with pytest.raises(labkit.ProcessError, match=r"SyntaxError.*outside function") as raised:
            lab.run("a = 1\nreturn a")
        assert raised.value.by_process[0].lines[-1][1:] == (2, "return a")


class TestAPartnerThatDoesNotCome:
    def test_ends_the_wait_at_the_deadline_and_the_lab_is_unsafe(self, lab):
        lab.run(GLOBAL)
        began = time.monotonic()
        with pytest.raises(labkit.NotArrived) as raised:
            lab.run(ONE_MISSING, deadline=2)
        assert 2 < time.monotonic() - began < 5
        assert lab.state == "unsafe"
        waits, ended = raised.value.roll_call
        assert (waits.state, waits.line) == ("waiting", 2)
        assert waits.text == "total(x).block_until_ready()"
        assert ended.state == "ended"
        for read in (lab.values, lab.facts, lab.show, lab.run):
            with pytest.raises(labkit.Unsafe, match=r"lab\.reset\(\)"):
                read("x")

    def test_is_missed_also_by_work_that_was_only_dispatched(self, lab):
        lab.run(GLOBAL)
        with pytest.raises(labkit.NotArrived) as raised:
            lab.run("if jax.process_index() == 1: y = total(x)", deadline=1)
        assert [row.state for row in raised.value.roll_call] == ["ended", "finishing"]

    def test_is_missed_also_while_it_computes_in_python(self, lab):
        lab.run(GLOBAL)
        began = time.monotonic()
        with pytest.raises(labkit.NotArrived) as raised:
            lab.run(ONE_MISSING + "else:\n    while True: pass", deadline=1)
        assert time.monotonic() - began < 6
        assert [row.state for row in raised.value.roll_call] == ["waiting", "running"]
        assert raised.value.roll_call[1].text == "while True: pass"

    def test_cannot_be_asked_either_and_a_question_ends_too(self, lab, monkeypatch):
        monkeypatch.setattr("labkit.lab.engine_client._SHORT", 1)
        lab.run(GLOBAL)
        with pytest.raises(labkit.NotArrived):
            lab.run(ONE_MISSING + "else:\n    while True: pass", deadline=0.5)
        with pytest.raises(labkit.NotArrived):
            lab.values("x", untrusted=True)

    def test_because_it_raised_before_is_named_with_its_exception(self, lab):
        lab.run(GLOBAL)
        with pytest.raises(labkit.NotArrived, match="ZeroDivisionError") as raised:
            lab.run("1 / (1 - jax.process_index())\n" + TOTAL, deadline=1)
        assert [row.state for row in raised.value.roll_call] == ["waiting", "failed"]
        assert raised.value.outputs[1].error.type == "ZeroDivisionError"

    def test_is_waited_for_when_it_comes_in_time(self, lab):
        lab.run(GLOBAL)
        late = "import time\nif jax.process_index() == 1: time.sleep(1.5)\n"
        states = set()
        done = lab.run(late + TOTAL, deadline=20, progress=lambda _: states.add(lab.state))
        assert dict(done) == {0: [56, 64], 1: [56, 64]}
        assert states == {"running", "waiting"}
        assert lab.state == "ready"

    @pytest.mark.parametrize(
        "busy",
        ["time.sleep(2)", "work(lambda: sum(range(1000)))", "work((a @ a).block_until_ready)"],
    )
    def test_is_not_supposed_where_all_are_busy(self, lab, busy):
        lab.run(
            "import time\na = jnp.ones((500, 500))\n"
            "def work(f):\n    end = time.monotonic() + 2\n    while time.monotonic() < end: f()"
        )
        assert lab.run(busy, deadline=0.7).trusted

    def test_can_be_given_up_on_from_another_thread(self, lab):
        lab.run(GLOBAL)
        threading.Timer(1, lab.interrupt).start()
        with pytest.raises(KeyboardInterrupt, match=r"was interrupted\. lab\.reset\(\)"):
            lab.run(ONE_MISSING)
        assert lab.state == "unsafe"
        assert "in flight" in lab.why


class TestProcessesOutOfStep:
    LONE = "if jax.process_index() == 0: total(x)\n3"

    def test_are_found_by_a_collective_that_one_began_and_dropped(self, lab):
        lab.run(GLOBAL)
        done = lab.run(self.LONE, deadline=2)
        assert not done.trusted
        assert done.why
        assert lab.state == "unsafe"
        assert lab.why == done.why
        with pytest.raises(labkit.Unsafe, match="no number may be trusted"):
            lab.run("1")

    def test_can_be_read_by_who_says_so_and_the_picture_keeps_the_mark(self, lab):
        lab.run(GLOBAL)
        lab.run(self.LONE, deadline=2)
        assert lab.values("x", untrusted=True)["p1·d3"].tolist() == [14, 15]
        assert lab.facts("x", untrusted=True).arrays[0].shape == (16,)
        assert lab.why in " ".join(lab.show("x", untrusted=True).text.split())

    def test_are_found_also_when_the_lone_collective_was_hidden_from_the_lab(
        self, lab, monkeypatch
    ):
        lab.run(GLOBAL)
        monkeypatch.setattr("labkit.lab.engine_client._CHECK", 1.5)
        lab.client[:].apply_sync(run_there, "if jax.process_index() == 0: total(x)")
        assert not lab.run("3").trusted


def run_there(source):
    from IPython import get_ipython

    exec(source, get_ipython().user_ns)


class TestAProcessThatDies:
    @pytest.mark.parametrize(
        ("source", "how"),
        [
            ("os._exit(3)", "exit status 3"),
            ("os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL"),
        ],
    )
    def test_is_named_with_how_it_ended_and_the_lab_is_lost(self, lab, source, how):
        with pytest.raises(labkit.ProcessLost) as raised:
            lab.run(f"import os, signal\nif jax.process_index() == 1: {source}")
        assert raised.value.by_process == {1: how}
        assert lab.state == "lost"
        assert lab.why == f"process 1 is gone ({how})"
        for read in (lab.run, lab.values):
            with pytest.raises(labkit.ProcessLost, match=r"lab\.reset\(\)"):
                read("x")

    def test_while_the_others_wait_for_it_ends_their_wait(self, lab):
        lab.run(GLOBAL + "import os")
        began = time.monotonic()
        with pytest.raises(labkit.ProcessLost) as raised:
            lab.run("if jax.process_index() == 1: os._exit(3)\n" + TOTAL)
        assert 1 in raised.value.by_process
        assert time.monotonic() - began < 5

    def test_while_nothing_runs_is_noticed(self, lab):
        import os

        os.kill(lab.processes[1].pid, 9)
        deadline = time.monotonic() + 5
        while lab.state == "ready" and time.monotonic() < deadline:
            time.sleep(0.01)
        assert lab.state == "lost"


class TestReset:
    def test_gives_processes_that_sum_right_and_hold_only_the_start_names(self, lab):
        lab.run(GLOBAL)
        lab.run("a = 1", namespace="explorer")
        assert lab.reset() is lab
        assert (lab.state, lab.why, lab.last) == ("ready", "", None)
        assert dict(lab.run("'total' in globals(), 'jnp' in globals()")) == {
            0: (False, True),
            1: (False, True),
        }
        assert dict(lab.run("'a' in globals()", namespace="explorer")) == {0: False, 1: False}
        assert dict(lab.run(GLOBAL + TOTAL)) == {0: [56, 64], 1: [56, 64]}

    @pytest.mark.parametrize("trouble", [ONE_MISSING, "import os; os._exit(1)"])
    def test_makes_a_broken_lab_ready(self, lab, trouble):
        lab.run(GLOBAL)
        with pytest.raises((labkit.NotArrived, labkit.ProcessLost)):
            lab.run(trouble, deadline=1)
        lab.reset()
        assert dict(lab.run(GLOBAL + TOTAL)) == {0: [56, 64], 1: [56, 64]}

    def test_replays_setup_cells_in_order_and_as_they_were_run(self, lab):
        try:
            lab.run("a = [jax.process_index()]", setup=True)
            lab.run("a += ['more']", setup=True, on=1)
            with pytest.raises(labkit.ProcessError):
                lab.run("a += [1 / 0]", setup=True)
            lab.run("a += ['not setup']")
            lab.run("b = 5", setup=True, namespace="explorer")
            lab.reset()
            assert dict(lab.run("a")) == {0: [0], 1: [1, "more"]}
            assert dict(lab.run("b", namespace="explorer")) == {0: 5, 1: 5}
        finally:
            lab._setup.clear()

    def test_ends_a_wait_that_is_going_on_in_another_thread(self, lab):
        lab.run(GLOBAL)
        waiting = Raises(lambda: lab.run(ONE_MISSING))
        waiting.start()
        while not waiting.ident or lab.state != "waiting":
            time.sleep(0.05)
        lab.reset()
        waiting.join(5)
        assert isinstance(waiting.error, KeyboardInterrupt)
        assert lab.state == "ready"


class Raises(threading.Thread):
    """Keeps what a call raised."""

    def __init__(self, call):
        super().__init__()
        self.call, self.error = call, None

    def run(self):
        try:
            self.call()
        except BaseException as error:
            self.error = error


def test_cells_from_several_threads_come_one_after_another(lab):
    lab.run("seen = []")

    async def both():
        sources = [f"seen += [{n}]\nseen[-1]" for n in range(4)]
        return await asyncio.gather(*(asyncio.to_thread(lab.run, source) for source in sources))

    assert [dict(done) for done in asyncio.run(both())] == [{0: n, 1: n} for n in range(4)]
    orders = lab.run("seen")
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == [0, 1, 2, 3]


def test_an_error_in_a_progress_report_does_not_leave_the_lab_running(lab):
    with pytest.raises(ZeroDivisionError):
        lab.run("import time; time.sleep(1)", progress=lambda outputs: 1 / 0)
    assert lab.state == "unsafe"
