"""A notebook that was run, written by hand: every kind of output, a stage, and an explorer."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from labkit import draw
from labkit.page.notebook_html import STAGE, VIEW
from labkit.page.site import STATES
from labkit.widgets.recording import stage
from tests.pure.pictures import TWO
from tests.pure.programs import loop
from tests.pure.recorded import psum

TEXT = """\
# 07 · A lesson

**Questions**
- What is `x`? See [the next](08_next.ipynb#b) and [JAX](https://docs.jax.dev).

![a sum](images/sum.svg) <script>window.ran = true</script>"""

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0H9"/></svg>'


def display(data: dict) -> dict:
    return new_output("display_data", data)


def view(model: str) -> dict:
    return display({VIEW: {"model_id": model}, "text/plain": "a widget"})


def state(of) -> dict:
    kept = {name: getattr(of, name) for name in ("runs", "step", "status", "busy", "why")}
    return kept | {"_anywidget_id": STAGE}


WIDGETS = {
    "one": state(stage(psum())),
    "two": state(stage(loop())),
    "drop": {"description": "mesh", "index": 1, "_options_labels": ["local", "global"]},
    "button": {"description": "Run again"},
    "bar": {"children": ["IPY_MODEL_drop", "IPY_MODEL_button"]},
    "box": {"children": ["IPY_MODEL_bar", "IPY_MODEL_two"]},
    "radio": {"description": "", "index": None},
}

OUTPUTS = {
    "print": [new_output("stream", name="stdout", text="\x1b[31mred\x1b[0m <b>\n")],
    "fail": [new_output("error", ename="E", evalue="", traceback=["\x1b[0;31mE\x1b[0m: no"])],
    "picture": [display({"text/html": draw.lab(TWO)._repr_mimebundle_()["text/html"]})],
    "figure": [display({"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"})],
    "plain": [new_output("execute_result", {"text/plain": "array([1 < 2])"})],
    "recorded": [view("one")],
    "explorer": [view("box")],
    "predict": [display({VIEW: {"model_id": "radio"}, "text/html": "<pre>( ) 12</pre>"})],
    "gone": [view("nobody knows")],
}


def notebook() -> nbformat.NotebookNode:
    """The notebook, its widgets' states in its metadata as Jupyter keeps them."""
    cells = [new_markdown_cell(TEXT)]
    cells += [new_code_cell(f"# {name}", outputs=outputs) for name, outputs in OUTPUTS.items()]
    cells += [new_code_cell("%%spmd\nx = 1  # one"), new_code_cell("%%solution 07.1\ny = 2")]
    cells[-1].metadata["tags"] = ["solution"]
    kept = {model: {"state": told} for model, told in WIDGETS.items()}
    return nbformat.v4.new_notebook(
        cells=cells, metadata={"widgets": {STATES: {"state": kept, "version_major": 2}}}
    )
