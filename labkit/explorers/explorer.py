"""What every explorer does: controls change, a program runs on the lab, scenes come on stage.

The kernel is never blocked: a change only wakes a task, the run waits in a thread. Of changes
that come while a run is going on only the last one counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import ipywidgets

from labkit.explorers.scenes import Ask, Found, Play
from labkit.facts import Output
from labkit.text.words import count as counted
from labkit.widgets.stage import Stage

if TYPE_CHECKING:
    from labkit.lab.lab import Lab

SETTLE = 0.1  # seconds; a control that is being dragged changes many times

_numbers = count(1)


class Explorer(ipywidgets.VBox):
    """Controls around a stage; every change of a control runs a program on the lab.

    Attributes:
        lab: where the program runs.
        controls: name → control; their values are what the program is made of.
        stage: the :class:`labkit.widgets.stage.Stage` the scenes are on.
    """

    def __init__(
        self,
        lab: Lab,
        controls: Mapping[str, Any],
        make: Callable[[Ask, Mapping[str, Any]], Play],
        name: str,
        deadline: float | None = None,
    ) -> None:
        """Puts the controls around a stage and starts the first run.

        Args:
            lab: a ready lab.
            controls: name → ipywidgets control.
            make: from the controls' values to scenes; runs in a thread.
            name: what the lab calls the runs, ``"psum explorer"``.
            deadline: seconds that somebody may wait for somebody else; None for the lab's own.
        """
        self.lab, self.controls, self.stage = lab, dict(controls), Stage()
        self._make, self._namespace = make, f"{name} {next(_numbers)}"
        self._limit = {} if deadline is None else {"deadline": deadline}
        self._again, self._interrupt, self._reset = (
            ipywidgets.Button(description=words, layout={"width": "auto"})
            for words in ("Run again", "Interrupt", "Reset the lab")
        )
        self._interrupt.disabled, self._reset.layout.display = True, "none"
        super().__init__([self._bar(), self.stage])
        self.add_class("lk-explorer")  # stage.js keeps keys on the controls from JupyterLab
        self._loop, self._task, self._wanted = _running_loop(), None, False
        self._resets: dict[str, int] | None = None
        self._listen()
        self._change()

    def _bar(self) -> ipywidgets.HBox:
        wrap = ipywidgets.Layout(flex_flow="row wrap", align_items="center", grid_gap="2px 14px")
        buttons = (self._again, self._interrupt, self._reset)
        return ipywidgets.HBox([*self.controls.values(), *buttons], layout=wrap)

    def _listen(self) -> None:
        for control in self.controls.values():
            control.style.description_width = "initial"  # as wide as its words
            control.observe(self._change, "value")
        self._again.on_click(self._change)
        self._interrupt.on_click(lambda button: self.lab.interrupt())
        self._reset.on_click(lambda button: self.reset())

    async def done(self) -> Explorer:
        """This explorer, once the scenes for its controls are on the stage (or the reason why not).

        ``await labkit.explore.psum(lab).done()`` as a cell's last line shows it complete.
        """
        await asyncio.sleep(0)  # a change made just now has only asked for its run
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])
        return self

    def _change(self, change: object = None) -> None:
        # some ipykernels call this in a thread of their own: it only wakes the loop
        if self._loop is None:
            self._show(self._attempt(self._choice()))
        else:
            self._loop.call_soon_threadsafe(self._wake)

    def reset(self, **shape: int) -> None:
        """Reset the lab, then run again; neither is waited for.

        Args:
            shape: another number of ``processes`` or ``devices``, as :meth:`labkit.Lab.reset`.
        """
        self._resets = shape
        self._change()

    def _wake(self) -> None:
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = self._loop.create_task(self._serve())

    async def _serve(self) -> None:
        while self._wanted:
            self._say_running()
            await asyncio.sleep(SETTLE)
            self._wanted = False
            shown = await asyncio.to_thread(self._attempt, self._choice())
            if not self._wanted:
                self._show(shown)

    def _choice(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.controls.items()}

    def _attempt(self, choice: Mapping[str, Any]) -> Play | str:
        """The scenes, or in words why there are none. Runs in a thread and raises nothing."""
        try:
            if self._resets is not None:
                shape, self._resets = self._resets, None
                self.lab.reset(**shape)
            return self._make(self._ask, choice)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        except KeyboardInterrupt as stopped:
            if self._loop is None:
                raise
            return str(stopped) or "The run was interrupted."

    def _ask(self, program: str, names: Sequence[str]) -> Found:
        how = {"namespace": self._namespace, "progress": self._report, **self._limit}
        done = self.lab.run(program, **how)
        read = {"namespace": self._namespace, "untrusted": not done.trusted}
        return Found({name: self.lab.facts(name, **read) for name in names}, done.why)

    def _report(self, outputs: Sequence[Output]) -> None:
        """Who waits for whom, while somebody waits. Called in the run's thread."""
        if self._loop is not None and self.lab.state == "waiting":
            doing = [f"process {o.process} {o.status or 'has ended'}" for o in outputs]
            self._loop.call_soon_threadsafe(setattr, self.stage, "status", "; ".join(doing))

    def _say_running(self) -> None:
        busy = self.lab.state in ("running", "waiting")
        where = counted(len(self.lab.processes), "process", "processes")
        words = "waits for the cell that runs now" if busy else f"running on {where}"
        words = words if self._resets is None else "resetting the lab"
        self.stage.busy, self.stage.status = True, words + " …"
        self._interrupt.disabled = False

    def _show(self, shown: Play | str) -> None:
        failed = isinstance(shown, str)
        runs = {} if failed else shown.runs
        self.stage.show(
            runs=[
                {"title": title if len(runs) > 1 else "", "scenes": scenes}
                for title, scenes in runs.items()
            ],
            why="" if failed else shown.why,
        )
        self.stage.status = f"{shown} {self._advice()}" if failed else ""
        self.stage.busy, self._interrupt.disabled = False, True
        self._reset.layout.display = None if self._broken() else "none"

    def _broken(self) -> bool:
        return self.lab.state in ("unsafe", "lost")

    def _advice(self) -> str:
        if self.lab.state == "stopped":
            return "Then call the explorer again, with the new lab."
        if self._broken():
            return 'The button "Reset the lab" does that and runs this again.'
        return "Then press Run again."

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        # where widgets do not run, the stage's table and pictures stand for the whole
        bundle = super()._repr_mimebundle_(**kwargs)
        static = self.stage._repr_mimebundle_()[0]
        return {**bundle, **{kind: static[kind] for kind in ("text/plain", "text/html")}}


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None  # a plain script: runs happen at once, in the calling thread
