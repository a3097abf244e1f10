"""A run notebook as HTML: text, code, outputs, and stages that step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mistune
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from labkit import draw
from labkit.page.document import held_state
from labkit.text.markup import bundle_uri, data_uri, element, image, worded
from labkit.text.outputs import ANSI

VIEW = "application/vnd.jupyter.widget-view+json"
STAGE = "labkit.widgets.stage.Stage"
SHEET = element("style", draw.style())
IMAGES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg"}
NO_KERNEL = "Its controls need a kernel. They were set to "

_markdown = mistune.create_markdown(escape=True, plugins=["table", "strikethrough"])


@dataclass(frozen=True)
class Reading:
    """What a notebook's cells are rendered with.

    Attributes:
        folder: where the notebook's images are.
        widgets: model id → state of each widget, as the kernel had them at the end.
    """

    folder: Path
    widgets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def body(notebook: Any, reading: Reading) -> str:
    """All cells of a notebook."""
    return "\n".join(part for cell in notebook.cells for part in _cell(cell, reading) if part)


def title(notebook: Any) -> str:
    """The first heading of a notebook."""
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = (re.search(r"^# +(.+)$", text, re.MULTILINE) for text in texts)
    return next((match[1].strip() for match in found if match), "A notebook")


def _cell(cell: Any, reading: Reading) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield words(cell.source, reading.folder)
    elif cell.cell_type == "code" and cell.source.strip():
        yield _folded(code(cell.source), cell)
        yield from (output(out, reading) for out in cell.outputs)


def _folded(shown: str, cell: Any) -> str:
    """A solution is there for those who ask for it."""
    if "solution" not in cell.metadata.get("tags", ()):
        return shown
    return element("details", worded("summary", "Solution"), shown)


def code(source: str) -> str:
    """Python with its words told apart; a magic's line is no Python."""
    first, _, rest = source.partition("\n")
    magic = first.startswith("%%")
    lines = highlight(
        rest if magic else source, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
    )
    head = worded("span", first, class_="lk-magic") + "\n" if magic else ""
    return element("pre", head, lines.rstrip(), class_="lk-code")


def words(source: str, folder: Path) -> str:
    """Markdown; links between notebooks lead to their pages, and images are in the page itself.

    Args:
        source: the text.
        folder: where its images are.
    """
    html = re.sub(r'(href="(?![a-z]+:)[^"]*)\.ipynb(?=["#])', r"\1.html", _markdown(source))
    html = re.sub(r'src="(?!data:)([^"]+)"', lambda m: f'src="{_image(folder, m[1])}"', html)
    return element("section", html, class_="lk-words")


def _image(folder: Path, name: str) -> str:
    """An image file as an address that needs no file; nothing for one from elsewhere."""
    path, kind = folder / name, IMAGES.get(Path(name).suffix)
    if kind is None or not path.is_file():
        return "data:,"
    return data_uri(kind, path.read_bytes())


def output(out: Any, reading: Reading) -> str:
    """One output of a cell."""
    if out.output_type == "stream":
        inner = _pre(out.text)
    elif out.output_type == "error":
        inner = _pre("\n".join(out.traceback), "lk-failed")
    else:
        inner = _data(out.data, reading)
    return element("div", inner, class_="lk-output") if inner else ""


def _pre(text: str, css: str = "") -> str:
    text = ANSI.sub("", text).rstrip()
    return worded("pre", text, class_=css) if text else ""


def _data(data: Mapping[str, Any], reading: Reading) -> str:
    """The richest form that needs no kernel."""
    if shown := _widget(data.get(VIEW, {}).get("model_id", ""), reading):
        return shown
    if "text/html" in data:
        return data["text/html"].replace(SHEET, "")  # the page has it once
    for kind in ("image/svg+xml", "image/png", "image/jpeg"):
        if kind in data:
            return image("", bundle_uri(kind, data[kind]))
    return _pre(data.get("text/plain", ""))


def _widget(model: str, reading: Reading) -> str:
    """A stage that steps; around it what its controls were set to. Nothing for another widget."""
    inside = list(_inside(model, reading))
    stages = [held_state(state) for state in inside if state.get("_anywidget_id") == STAGE]
    controls = [_control(state) for state in inside]
    settings = ", ".join(words for words in controls if words)
    told = worded("p", f"{NO_KERNEL}{settings}.", class_="lk-note") if settings else ""
    return told + "".join(stages) if stages else ""


def _inside(model: str, reading: Reading) -> Iterator[Mapping[str, Any]]:
    state = reading.widgets.get(model.removeprefix("IPY_MODEL_"))
    if state is not None:
        yield state
        for child in state.get("children", ()):
            yield from _inside(child, reading)


def _control(state: Mapping[str, Any]) -> str:
    """``"mesh: local mesh"``; nothing for a button, which has no value."""
    labels = state.get("_options_labels")
    index = state.get("index")
    value = labels[index] if labels and isinstance(index, int) else state.get("value")
    described = state.get("description")
    return f"{described}: {value}" if described and value is not None else ""
