"""A recording as ``lab.step`` gives it back: it shows itself, and answers questions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit import facts
from labkit.analysis.divergence import descent
from labkit.display import drawn
from labkit.display.notebook import in_notebook
from labkit.errors import LabError
from labkit.text.words import count

if TYPE_CHECKING:
    from labkit.widgets.stage import Stage


@dataclass(frozen=True, eq=False, repr=False)
class Recording(facts.Recording):
    """Every operation of a program, and its values on every device.

    At the end of a cell it shows itself on a stage. ``recording.steps[k]`` has ``op``, ``source``,
    ``inputs`` and ``outputs``; ``recording.agreement`` says how the run that was recorded compares
    with a plain call.
    """

    def watch(self, name: str) -> list[facts.Step]:
        """Where a value goes: the steps that make it or take it.

        Args:
            name: of a value, ``"x"`` or ``"v3"``.

        Raises:
            LabError: no step has a value of this name.
        """
        found = [step for step in self.steps if name in step.inputs or name in step.outputs]
        if not found:
            named = dict.fromkeys(n for s in self.steps for n in (*s.inputs, *s.outputs))
            some = ", ".join(list(named)[:12])
            raise LabError(f"No step has a value {name!r}. There are {some} …")
        return found

    def next_collective(self, k: int = -1) -> int | None:
        """The number of the first collective behind step ``k``; None where none follows."""
        behind = (step.number for step in self.steps if step.number > k and step.collective)
        return next(behind, None)

    def first_difference(self, other: facts.Recording) -> int | None:
        """The place of the first step, among those not quiet, at which two recordings part.

        They part where the operations differ, or where the values that they give differ on some
        device. None where they do not.
        """
        mine, others = (list(_loud(r)) for r in (self, other))
        pairs = enumerate(zip(mine, others, strict=False))
        at = next((n for n, pair in pairs if not _same(*pair)), None)
        if at is None and len(mine) != len(others):
            at = min(len(mine), len(others))
        return at

    def descent(self) -> drawn.DrawnDescent:
        """Where copies that differ go: which of them each value descends from, on each device.

        An argument that is no array over several processes is of each process's own, and nothing
        about it differs.
        """
        return drawn.descent(descent(self), self.processes)

    def beside(self, other: facts.Recording) -> Stage:
        """Both on one stage, stepped together, at the first step at which they part."""
        from labkit.widgets.recording import beside

        return beside(self, other)

    def save_page(self, path: str | os.PathLike[str]) -> Path:
        """Write one HTML file that shows the recording without a kernel and without a network."""
        from labkit.page import save

        return save(self, path)

    def __repr__(self) -> str:
        written = sum(step.collective is not None for step in self.steps)
        counted = count(len(self.steps), "step") + f", {written} of them collectives"
        if self.compiled and not written:
            counted += f", {len(self.compiled)} in the compiled program"
        mark = f" (not to be trusted: {self.why})" if self.why else ""
        return f"Recording({self.expression}: {counted}; {self.agreement}){mark}"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if not in_notebook():
            return {"text/plain": repr(self)}
        from labkit.widgets.recording import stage  # widgets are needed nowhere else

        return stage(self)._repr_mimebundle_(**kwargs)


def recording(found: facts.Recording) -> Recording:
    """The recording, able to show itself and to answer questions."""
    return drawn.able(Recording, found)


def _loud(recording: facts.Recording) -> Iterator[facts.Step]:
    return (step for step in recording.steps if not step.quiet)


def _same(one: facts.Step, other: facts.Step) -> bool:
    gives = [[(v.shape, v.dtype, dict(v.digests)) for v in step.gives] for step in (one, other)]
    return one.op == other.op and gives[0] == gives[1]
