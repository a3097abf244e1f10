"""A page with nothing on it but stages: stage.js, a stand-in for the widget model, and scenes."""

import json
from pathlib import Path

from labkit.widgets.stage import STATIC, Stage

STAND_IN = """
const models = [];
function standIn(state) {
  const heard = {};
  return {
    state, heard, saved: 0,
    get: (name) => state[name],
    set(name, value) {
      const changed = state[name] !== value;
      state[name] = value;
      if (changed) (heard[`change:${name}`] ?? []).forEach((action) => action());
    },
    on: (event, action) => (heard[event] ??= []).push(action),
    off: (event, action) => (heard[event] = heard[event].filter((other) => other !== action)),
    save_changes() { this.saved += 1; },
  };
}
const stop = [...document.querySelectorAll("[data-model]")].map((el) => {
  models.push(standIn(JSON.parse(el.dataset.model)));
  return render({ model: models.at(-1), el });
});
Object.assign(window, { models, stop });
"""


def write_page(folder: Path, *stages: Stage, head: str = "") -> str:
    """Writes the page and gives its file:// address."""
    script = (STATIC / "stage.js").read_text(encoding="utf-8")
    holders = "".join(f"<div data-model='{_state(stage)}'></div>" for stage in stages)
    path = folder / "stages.html"
    path.write_text(
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>stages</title>{head}"
        f"<style>:root {{ color-scheme: light dark }} {Stage._css}</style>{holders}"
        f"<script type='module'>{script}{STAND_IN}</script></html>",
        encoding="utf-8",
    )
    return path.as_uri()


def _state(stage: Stage) -> str:
    names = ("runs", "step", "status", "busy", "why")
    text = json.dumps({name: getattr(stage, name) for name in names})
    return text.replace("&", "&amp;").replace("'", "&#39;").replace("<", "&lt;")
