"""``%%spmd`` in a real kernel, as a notebook sees it."""

import os
import re
import signal
import threading

import nbformat
import pytest
from nbclient import NotebookClient

from tests.source import ROOT

GLOBAL = """%%spmd --setup
mesh = Mesh(jax.devices(), ("i",))
mine = 8 * jax.process_index() + np.arange(8)
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("i")), mine)
total = jax.jit(
    jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
)"""
ONE_MISSING = "if jax.process_index() == 0:\n    total(x).block_until_ready()"


class Kernel:
    """A kernel that runs one cell after another, errors and all."""

    def __init__(self, client: NotebookClient) -> None:
        self.client = client

    def __call__(self, source: str) -> "Shown":
        cells = self.client.nb.cells
        cells.append(nbformat.v4.new_code_cell(source))
        return Shown(self.client.execute_cell(cells[-1], len(cells) - 1).outputs)


class Shown:
    """What stands under a cell."""

    def __init__(self, outputs: list) -> None:
        self.kinds = [output.output_type for output in outputs]
        self.data = [output.data for output in outputs if "data" in output]
        self.text = "\n".join(data["text/plain"] for data in self.data)
        self.text += "".join(o.text for o in outputs if o.output_type == "stream")
        traces = ["\n".join(o.traceback) for o in outputs if o.output_type == "error"]
        self.error = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(traces))


@pytest.fixture(scope="module")
def bare():
    notebook = nbformat.v4.new_notebook()
    client = NotebookClient(notebook, timeout=60, allow_errors=True, resources=at_root())
    with client.setup_kernel():
        yield Kernel(client)


def at_root() -> dict:
    return {"metadata": {"path": str(ROOT)}}


@pytest.fixture(scope="module")
def kernel(bare):
    before = bare("import labkit").error or bare("%%spmd\n1").error
    assert before == "LabError: There is no lab yet. lab = labkit.start() starts one."
    started = bare("lab = labkit.start(processes=2, devices=4)")
    assert started.error == ""
    assert started.text.strip() == "", "the progress line has gone"
    yield bare
    bare("lab.stop()")


@pytest.fixture(autouse=True)
def _as_it_was(kernel):
    yield
    kernel("if lab.state != 'ready': lab.reset()")


def rows(shown: Shown) -> list[str]:
    return [line.strip() for line in shown.text.splitlines() if line.strip()]


def test_equal_outputs_are_one_column(kernel):
    shown = kernel("%%spmd\nprint('hello')\n1 + 1")
    assert shown.kinds == ["display_data"]
    assert rows(shown) == ["all 2 processes", "hello", "2"]
    assert shown.data[0]["text/html"].count("hello") == 1


def test_different_outputs_stand_side_by_side_in_order(kernel):
    shown = kernel("%%spmd\nprint('this is', jax.process_index())")
    found = re.findall(r"process \d|this is \d", shown.text)
    assert found == ["process 0", "this is 0", "process 1", "this is 1"]
    for process in (0, 1):
        assert f"process {process}" in shown.data[0]["text/html"]


def test_a_cell_that_says_nothing_shows_nothing(kernel):
    assert kernel("%%spmd\na = 1").kinds == []


def test_some_processes_alone(kernel):
    assert rows(kernel("%%spmd --on 1\njax.process_index()")) == ["process 1", "1"]
    shown = kernel("%%spmd --on 0,1\n'both'")
    assert rows(shown) == ["all 2 processes", "'both'"]
    assert "this lab has processes 0, 1" in kernel("%%spmd --on 7\n1").error


def test_an_exception_stands_in_its_column_once_and_is_only_pointed_to_below(kernel):
    shown = kernel("%%spmd\nif jax.process_index() == 1:\n    raise ValueError('one too many')")
    assert shown.kinds == ["display_data", "error"]
    assert shown.text.count("ValueError: one too many") == 1
    assert "raise ValueError('one too many')" in shown.text
    assert shown.error == "ProcessError in process 1: shown above, in its column."
    assert rows(kernel("%%spmd\n'still ready'")) == ["all 2 processes", "'still ready'"]


def test_what_is_not_python_is_refused_in_one_sentence(kernel):
    shown = kernel("%%spmd\ny = = 2")
    assert shown.kinds == ["error"]
    assert shown.error.startswith("LabError: This is not Python yet, and was not sent")


def test_output_that_grows_is_one_output(kernel):
    shown = kernel("%%spmd\nimport time\nprint('early')\ntime.sleep(1.5)\nprint('late')")
    assert shown.kinds == ["display_data"]
    assert rows(shown) == ["all 2 processes", "early", "late"]


def test_a_figure_is_in_its_column(kernel):
    pytest.importorskip("matplotlib")
    shown = kernel("%%spmd\nimport matplotlib.pyplot as plt\nplt.plot([jax.process_index(), 1]);")
    assert shown.data[0]["text/html"].count("data:image/png;base64,") == 2


def test_a_partner_that_does_not_come_within_the_deadline(kernel):
    kernel(GLOBAL)
    shown = kernel(f"%%spmd --deadline 1\n{ONE_MISSING}")
    assert "NotArrived: Not every process arrived" in shown.error
    assert "line 2" in shown.text
    assert "process 1" in shown.text
    assert "Traceback" not in shown.error
    assert kernel("%%spmd\n1").error.startswith("Unsafe: The lab is unsafe")
    kernel("lab.reset()")
    assert "[56, 64]" in kernel("%%spmd\ntotal(x).addressable_data(0).tolist()").text


def test_the_interrupt_button_ends_the_wait_and_says_what_to_do(kernel):
    kernel(GLOBAL)
    pid = int(kernel("import os; os.getpid()").text)
    threading.Timer(2, os.kill, (pid, signal.SIGINT)).start()
    shown = kernel(f"%%spmd\n{ONE_MISSING}")
    assert "lab.reset()" in shown.error
    assert "labkit/" not in shown.error, "a learner can use nothing of labkit's own lines"
    assert kernel("lab.state").text == "'unsafe'"


def test_px_still_reaches_the_same_processes(kernel):
    kernel("%%spmd\nhere = jax.process_index() + 10")
    kernel("lab.client.activate()")
    shown = kernel("%%px\nprint('unwatched', here)")
    assert shown.error == ""
    assert sorted(re.findall(r"unwatched \d+", shown.text)) == ["unwatched 10", "unwatched 11"]
    assert (
        "%%px" in kernel("print(get_ipython().magics_manager.magics['cell']['spmd'].__doc__)").text
    )


def test_the_lab_and_its_pictures_draw_themselves(kernel):
    kernel("%%spmd\na = jnp.arange(3) + 100 * jax.process_index()")
    for source in ("lab", "lab.show('a')", "lab.last"):
        assert kernel(source).kinds == ["execute_result"]
    assert "ready" in kernel("lab").text
    assert "102" in kernel("lab.show('a')").text


def test_the_kernel_never_imports_jax(kernel):
    assert kernel("import sys; 'jax' in sys.modules").text == "False"


def test_a_cell_that_is_stepped_through_shows_its_output_and_the_stage(kernel):
    kernel("%%spmd\nnumbers = np.arange(4.0)")
    shown = kernel("%%spmd --step\nprint('once')\n(lambda v: v * 2 + 1)(numbers)")
    assert (shown.kinds, shown.error) == (["display_data", "display_data"], "")
    assert "once" in shown.data[0]["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in shown.data[1]
    assert "mul" in shown.data[1]["text/plain"]
    assert "1.0 3.0 5.0 7.0" in shown.data[1]["text/plain"]


def test_a_cell_that_is_stepped_through_ends_in_an_expression_and_runs_everywhere(kernel):
    assert "Only an expression can be recorded" in kernel("%%spmd --step\nw = 3").error
    assert "leave out --on and --setup" in kernel("%%spmd --step --on 0\n1").error
