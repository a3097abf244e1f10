"""%%solution: a solution that is shown when asked for, and never run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labkit.text.markup import element, worded


@dataclass(frozen=True, repr=False)
class Solution:
    """A solution's code, folded in a notebook.

    Attributes:
        id: of its exercise.
        code: a whole cell, to be copied over the stub.
    """

    id: str
    code: str

    def __repr__(self) -> str:
        return f"Solution {self.id}, shown and not run:\n\n{self.code}"

    def _repr_html_(self) -> str:
        head = f"Solution {self.id}: shown, not run. Copy it over the stub to run it."
        return element("details", worded("summary", head), worded("pre", self.code))


def load(ipython: Any) -> None:
    """Make ``%%solution`` known to this IPython; doing so again changes nothing."""
    ipython.register_magic_function(solution, "cell", "solution")


def solution(line: str, cell: str) -> Solution:
    """``%%solution 01.2``: show the code of this cell, folded, and do not run it."""
    return Solution(line.strip(), cell.strip("\n"))
