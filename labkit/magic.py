"""The ``%%spmd`` cell magic: the same cell in every process, one column of output for each."""

from __future__ import annotations

import time
from typing import Any

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from labkit import begin, facts, results
from labkit.cells import DEADLINE
from labkit.errors import LabError, ProcessError
from labkit.live import in_notebook

_LIVE_AFTER, _LIVE_EVERY = 0.7, 0.3  # seconds


@magics_class
class SpmdMagics(Magics):
    """``%%spmd``."""

    @magic_arguments()
    @argument("--on", default=None, help="some processes only, for example 0 or 0,1")
    @argument("--deadline", type=float, default=DEADLINE, help="seconds somebody may wait")
    @argument("--setup", action="store_true", help="run this cell again after lab.reset()")
    @argument("--anyway", action="store_true", help="run in some what seems to need all")
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
        running = begin.current()
        if running is None:
            raise LabError("There is no lab yet. lab = labkit.start() starts one.")
        live = _Live(len(running.processes))
        try:
            given = (options.on, options.deadline, options.setup)
            done = running.run(cell, *given, anyway=options.anyway, progress=live)
        except BaseException as error:
            live.end(getattr(error, "outputs", ()), running.why)
            if isinstance(error, ProcessError):
                error.shown = True
            raise
        live.end(done.outputs, done.why)


class _Live:
    """Columns that grow while the cell runs."""

    def __init__(self, count: int) -> None:
        self._handle: Any = None
        self._count = count
        self._next = time.monotonic() + _LIVE_AFTER

    def __call__(self, outputs: tuple[facts.Output, ...]) -> None:
        if in_notebook() and time.monotonic() > self._next:
            self._next = time.monotonic() + _LIVE_EVERY
            self._show(outputs, "")

    def end(self, outputs: tuple[facts.Output, ...], why: str) -> None:
        """The columns as they stay."""
        if outputs and (why or any(map(_says_something, outputs))):
            self._show(outputs, why)
        elif self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)

    def _show(self, outputs: tuple[facts.Output, ...], why: str) -> None:
        picture = results.columns(outputs, why, self._count)
        if self._handle is None:
            self._handle = display(picture, display_id=True)
        else:
            self._handle.update(picture)


def _says_something(output: facts.Output) -> bool:
    return bool(output.text or output.displays or output.result or output.error or output.status)


def load(ipython: Any) -> None:
    """Register ``%%spmd``."""
    ipython.register_magics(SpmdMagics)
