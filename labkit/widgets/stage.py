"""The stage: shows scenes one at a time, also while the kernel is busy.

Python draws every scene beforehand and sends them all at once; the browser only steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from labkit import draw
from labkit.facts import Scene
from labkit.widgets import fallback
from labkit.widgets.packing import Parts, joined

WIDTH = 600  # pixels; a picture that leaves room for the program beside it


STATIC = Path(__file__).parent / "static"

TEXTS = ("svg", "alt")
"""What of a scene is sent as numbers of pieces."""


class Stage(anywidget.AnyWidget):
    """A widget that steps through scenes with buttons, slider, keys and Play.

    ``Stage(scenes)`` shows one run of scenes; ``Stage(runs=[{"title": "local mesh",
    "scenes": scenes}, ...])`` shows several side by side, stepped together.

    Attributes:
        runs: what is on the stage, as plain data; set it with :meth:`show`.
        step: the step shown, from 0; follows the reader and may be set.
        status: what is going on right now, in a few words; empty for nothing.
        busy: whether new scenes are on their way.
        why: why no number on the stage may be trusted; empty when all may be.
    """

    _esm = STATIC / "stage.js"
    _css = draw.style() + (STATIC / "stage.css").read_text(encoding="utf-8")

    runs = traitlets.List(traitlets.Dict()).tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True)
    status = traitlets.Unicode("").tag(sync=True)
    busy = traitlets.Bool(False).tag(sync=True)
    why = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        scenes: Sequence[Scene] = (),
        *,
        runs: Sequence[Mapping[str, Any]] = (),
        why: str = "",
        status: str = "",
    ) -> None:
        super().__init__(why=why, status=status)
        self.show(scenes, runs=runs, why=why)

    def show(
        self,
        scenes: Sequence[Scene] = (),
        *,
        runs: Sequence[Mapping[str, Any]] = (),
        why: str = "",
    ) -> None:
        """Puts other scenes on the stage, at the same step where there is one.

        Args:
            scenes: the scenes of one run; not together with ``runs``.
            runs: ``{"title": str, "scenes": [Scene, ...]}`` for each run.
            why: why they may not be trusted; empty when they may.
        """
        if scenes and runs:
            raise ValueError("Given scenes and runs; expected one of them.")
        plain = _plain_runs(runs or ([{"title": "", "scenes": scenes}] if scenes else []))
        steps = max((len(run["scenes"]) for run in plain), default=0)
        with self.hold_sync():  # one message: the reader never sees half of a change
            self.step = max(0, min(self.step, steps - 1))
            self.runs = plain
            self.why = why

    def __repr__(self) -> str:
        steps = max((len(run["scenes"]) for run in self.runs), default=0)
        return f"<Stage: step {self.step + 1} of {steps}>" if steps else "<Stage: no scenes yet>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        static = {"text/plain": fallback.text(self.runs, self.why)}
        static["text/html"] = fallback.html(self.runs, self.why)
        return {**data, **static}, metadata


def _plain_runs(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_plain_run(run) for run in runs]


def _plain_run(run: Mapping[str, Any]) -> dict[str, Any]:
    if set(run) != {"title", "scenes"}:
        raise ValueError(f"Given a run with {sorted(run)}; expected its title and its scenes.")
    scenes = list(run["scenes"])
    if not scenes:
        raise ValueError(f"The run {run['title']!r} has no scenes; expected one or more.")
    for scene in scenes:
        _check_scene(scene, scenes[0])
    parts = Parts()
    plain = [_plain_scene(scene, parts) for scene in scenes]
    texts, rows = joined(parts.all, [scene[kind] for scene in plain for kind in TEXTS])
    numbers = iter(rows)
    plain = [scene | {kind: next(numbers) for kind in TEXTS} for scene in plain]
    about = {"title": run["title"], "source": scenes[0].source, "first": scenes[0].first}
    return {**about, "scenes": plain, "parts": texts}


def _check_scene(scene: Scene, first: Scene) -> None:
    if not isinstance(scene, Scene):
        raise TypeError(f"Given a {type(scene).__name__}; expected a labkit.facts.Scene.")
    if scene.source != first.source:
        raise ValueError(
            f"The scenes {first.title!r} and {scene.title!r} have different sources; "
            "expected one program for all scenes of a run."
        )
    lines = scene.source.count("\n") + 1 if scene.source else 0
    if not 0 <= scene.line <= lines:
        raise ValueError(
            f"The scene {scene.title!r} is at line {scene.line}; "
            f"its source has lines 1 to {lines} (0 is for none)."
        )


def _plain_scene(scene: Scene, parts: Parts) -> dict[str, Any]:
    names = ("title", "caption", "line", "span", "illustration")
    plain = {name: getattr(scene, name) for name in names}
    # most scenes are not of a recording, and most steps neither folded nor quiet
    part = {name: value for name, value in asdict(scene.part).items() if value}
    return {**plain, "svg": parts.svg(scene.svg), "alt": parts.words(scene.alt), **part}
