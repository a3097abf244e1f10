"""labkit: a teaching lab for multi-process JAX.

lab = labkit.start(processes=2, devices=4)   # JAX processes in one jax.distributed group
lab.run("x = jax.process_index()")           # or a cell: %%spmd, one column a process
lab.values("x"), lab.facts("x")              # what every device really holds
lab.show("x", "mesh")                        # the same as a picture
lab.step("f(x)")                             # a call, one operation at a time
lab.measure("f(x)", "g(x)")                  # how long calls take, against each other
lab.replicas("params")                       # do copies that should be equal agree?
labkit.explore.psum(lab)                     # step through a prepared experiment
lab.reset(), lab.stop()                      # ready again; gone
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from labkit.errors import (
    LabError,
    NotArrived,
    ProcessError,
    ProcessLost,
    ReplicasDiffer,
    StartError,
    Unsafe,
)

if TYPE_CHECKING:
    from labkit import explore
    from labkit.display.recording import Recording
    from labkit.lab.lab import Lab
    from labkit.lab.start import current, start
    from labkit.lessons import check, hint, predict, progress
    from labkit.training import check_replicas

__version__ = "0.1.0"

__all__ = [
    "Lab",
    "LabError",
    "NotArrived",
    "ProcessError",
    "ProcessLost",
    "Recording",
    "ReplicasDiffer",
    "StartError",
    "Unsafe",
    "check",
    "check_replicas",
    "current",
    "explore",
    "hint",
    "predict",
    "progress",
    "start",
]

# Found at first use: the processes import this package too, and need none of it.
_HOMES = {
    "Lab": "labkit.lab.lab",
    "Recording": "labkit.display.recording",
    "current": "labkit.lab.start",
    "start": "labkit.lab.start",
    "check": "labkit.lessons",
    "check_replicas": "labkit.training",
    "hint": "labkit.lessons",
    "predict": "labkit.lessons",
    "progress": "labkit.lessons",
}


def __getattr__(name: str) -> Any:
    if name == "explore":
        return importlib.import_module("labkit.explore")
    if name not in _HOMES:
        raise AttributeError(f"labkit has no {name!r}; it has {', '.join(__all__)}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def load_ipython_extension(ipython: Any) -> None:
    """Register labkit's cell magics; ``import labkit`` in a notebook has done it already."""
    from labkit import lessons
    from labkit.lab import magic

    magic.load(ipython)
    lessons.load(ipython)


def _load_in_notebook() -> None:
    from labkit.display.notebook import in_notebook

    if in_notebook():
        load_ipython_extension(sys.modules["IPython"].get_ipython())


_load_in_notebook()
