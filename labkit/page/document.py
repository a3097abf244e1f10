"""The frame of every page: style and script inside, and a policy under which it fetches nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from labkit import draw
from labkit.text.markup import element, escaped, worded
from labkit.widgets import fallback
from labkit.widgets.stage import STATIC, Stage

STATE = ("runs", "step", "status", "busy", "why")
"""What of a stage the browser needs."""

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main class="lk-page">
{body}
</main>
<script type="module">{script}</script>
</body>
</html>
"""


def document(title: str, body: str) -> str:
    """A whole page.

    Args:
        title: in plain text.
        body: HTML; stages in it come from :func:`held`.
    """
    marks = {"title": escaped(title), "style": style(), "script": script(), "policy": policy()}
    return PAGE.format(body=body, **marks)


def held(stage: Stage) -> str:
    """A stage as a part of a page's body."""
    return held_state({name: getattr(stage, name) for name in STATE})


def held_state(state: Mapping[str, Any]) -> str:
    """The same of a stage's state as plain data."""
    kept = {name: state[name] for name in STATE}
    text = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
    # no text of a learner's may end the script element
    data = element("script", text.replace("<", "\\u003c"), type="application/json")
    words = worded("pre", fallback.text(kept["runs"], kept["why"]))
    return element("div", data, "\n", element("noscript", words), class_="lk-model")


@cache
def style() -> str:
    """All style sheets of a page."""
    return draw.style() + _static("stage.css", STATIC) + _static("page.css")


@cache
def script() -> str:
    """The stage, and what puts it on a page without a kernel."""
    return _static("stage.js", STATIC) + _static("page.js")


def policy() -> str:
    """Nothing may be fetched, and no script runs but the page's own."""
    digest = b64encode(sha256(script().encode()).digest()).decode()
    rules = {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest}'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _static(name: str, folder: Any = None) -> str:
    folder = folder or files("labkit.page") / "static"
    return (folder / name).read_text(encoding="utf-8")
