"""The ``%%spmd`` cell magic: the same cell in every process, one column of output for each."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from labkit import draw, facts
from labkit.display import results
from labkit.display.notebook import in_notebook
from labkit.errors import Interrupted, LabError, ProcessError
from labkit.lab import start
from labkit.lab.cells import DEADLINE

if TYPE_CHECKING:
    from labkit.lab.lab import Lab
    from labkit.lab.watchdog import Wait

_LIVE_AFTER, _LIVE_EVERY = 0.7, 0.3  # seconds
_WAITED = 1.8  # seconds somebody waits before the roll call shows


@magics_class
class SpmdMagics(Magics):
    """``%%spmd``."""

    @magic_arguments()
    @argument("--on", default=None, help="some processes only, for example 0 or 0,1")
    @argument("--deadline", type=float, default=DEADLINE, help="seconds somebody may wait")
    @argument("--setup", action="store_true", help="run this cell again after lab.reset()")
    @argument("--anyway", action="store_true", help="run in some what seems to need all")
    @argument("--step", action="store_true", help="record the last expression, and show it")
    @cell_magic
    def spmd(self, line: str, cell: str) -> None:
        """Run a cell in every process of the lab and wait until its work has ended.

        ``jax, jnp, np, Mesh, P, NamedSharding, multihost_utils`` are there from the start.
        ipyparallel's own ``%%px`` reaches the same processes, but nobody watches it: no deadline,
        no check that the processes are in step afterwards.

        A cell for some processes that seems to need the others is refused before it runs, as far
        as its calls can be told without running it; ``--anyway`` runs it all the same. The flight
        recorder compares what each process launched: it sees compiled programs, but not which of
        two equal programs got which data, nor what threads of your own launch.
        """
        options = parse_argstring(self.spmd, line)
        running = start.current()
        if running is None:
            raise LabError("There is no lab yet. lab = labkit.start() starts one.")
        live = _Live(running)
        try:
            done = _run(running, options, cell, live)
        except BaseException as error:
            of_cell = isinstance(error, LabError | Interrupted)
            live.end(error.outputs if of_cell else (), running.why, failed=True)
            if isinstance(error, ProcessError):
                error.shown = True
            raise
        live.end(done.outputs, done.why)
        if done.recording is not None:
            display(done.recording)


def _run(lab: Lab, options: Any, cell: str, live: _Live) -> results.Results:
    """Run the cell, or record it; the results have the recording then."""
    if not options.step:
        given = (options.on, options.deadline, options.setup)
        return lab._run(cell, *given, options.anyway, live)
    if options.on is not None or options.setup:
        raise LabError("--step records in all processes, and once: leave out --on and --setup.")
    return lab._step(cell, options.deadline, live)


class _Live:
    """Columns that grow while the cell runs, under the roll call while somebody waits."""

    def __init__(self, lab: Lab) -> None:
        self._lab, self._handle = lab, None
        self._next = time.monotonic() + _LIVE_AFTER

    def __call__(self, wait: Wait) -> None:
        if in_notebook() and time.monotonic() > self._next:
            self._next = time.monotonic() + _LIVE_EVERY
            roll = wait.roll_call()
            self._show(wait.outputs(roll), "", self._drawn(roll, _WAITED))

    def end(self, outputs: tuple[facts.Output, ...], why: str, failed: bool = False) -> None:
        """The columns as they stay, with the roll call where the cell did not end well."""
        where = failed and self._lab.state != "stopped"
        roll = self._drawn(self._lab.roll_call(), 0) if where else None
        if roll or (outputs and (why or any(map(_says_something, outputs)))):
            self._show(outputs, why, roll)
        elif self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)

    def _drawn(self, roll: facts.RollCall, seconds: float) -> draw.Picture | None:
        """The picture of a roll call, once somebody has been waiting for so long."""
        if roll.cause and any(row.seconds >= seconds for row in roll):
            return draw.roll_call(roll, self._lab.processes)
        return None

    def _show(self, outputs: tuple[facts.Output, ...], why: str, roll: draw.Picture | None) -> None:
        if roll:  # it says what they do; under it stands what they have given so far
            outputs = tuple(filter(_says_something, (replace(o, status="") for o in outputs)))
        picture = results.columns(outputs, why, len(self._lab.processes))
        picture = draw.stacked(roll, picture) if roll and (outputs or why) else roll or picture
        if self._handle is None:
            self._handle = display(picture, display_id=True)
        else:
            self._handle.update(picture)


def _says_something(output: facts.Output) -> bool:
    return bool(output.text or output.displays or output.result or output.error or output.status)


def load(ipython: Any) -> None:
    """Register ``%%spmd``."""
    ipython.register_magics(SpmdMagics)
