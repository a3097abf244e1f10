"""What a recording notes down while the instrumented program is traced: operations and values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

Where = tuple[str, int, str, tuple[int, int]]
"""File, line, text and span: the fields of ``facts.Source``."""

NOWHERE: Where = ("", 0, "", (0, 0))
LAST = 1 << 30  # as a turn: behind all turns


@dataclass
class Slot:
    """One value of the program, of which the run brings the elements.

    Attributes:
        id: what it is called by in the entries.
        shape, dtype: of the value itself, without what was put in front of it.
        lifts: outermost first, what stands in front: ``("mesh", mesh, axes)`` one dimension for
            each axis, ``("turns", count, reverse)`` one dimension.
        cut: whether only its leading block is brought.
        guards: the branches and dynamic loops it stands in.
    """

    id: int
    shape: tuple[int, ...]
    dtype: str
    lifts: list[tuple[Any, ...]] = field(default_factory=list)
    cut: bool = False
    guards: tuple[Guard, ...] = ()

    @property
    def turns(self) -> list[tuple[int, bool]]:
        """(count, whether backwards) of the loops it stands in."""
        return [lift[1:] for lift in self.lifts if lift[0] == "turns"]


@dataclass(frozen=True)
class Guard:
    """On which devices an entry ran: those whose ``slot`` holds the branch, or more than the turn.

    Attributes:
        slot: the branch taken, or the number of turns made.
        branch: the branch; -1: the slot holds a number of turns.
        loop: which of the loops around it is meant, from the outside.
    """

    slot: Slot
    branch: int = -1
    loop: int = 0


@dataclass
class Entry:
    """One operation; in a loop, once for all turns.

    Attributes:
        key: position and turn at every level, ending in a position: in order of the program.
            The turn of a loop is None.
        op: its name.
        where: the learner's line.
        reads, gives: ids of values.
        collective: fields of ``facts.Collective``, None for no collective.
        within: ``(what, name, depth)`` from the outside in; the key up to ``depth`` is the
            structure's, and the turn follows it.
        mesh: of the ``shard_map`` it stands in.
        guards: the branches and dynamic loops it stands in.
        turns: how often each of the loops it stands in goes round, at most.
        backward: whether a derivative made it, of an operation on that line.
    """

    key: tuple[int | None, ...]
    op: str
    where: Where
    reads: tuple[int, ...]
    gives: tuple[int, ...]
    collective: dict[str, Any] | None = None
    within: tuple[tuple[str, str, int], ...] = ()
    mesh: Any = None
    quiet: bool = False
    guards: tuple[Guard, ...] = ()
    turns: tuple[int, ...] = ()
    note: str = ""
    backward: bool = False


@dataclass(frozen=True)
class Scope:
    """Where in the program we are.

    Attributes:
        key: prefix of the keys of what stands here.
        within, mesh, guards, turns: as in an entry.
        axes: manual axes of the ``shard_map``.
        typed: whether JAX tracks here along which axes values vary.
        where: the line of the call, for operations without one of their own.
        library: inside a function of JAX's own.
    """

    key: tuple[int | None, ...] = ()
    within: tuple[tuple[str, str, int], ...] = ()
    mesh: Any = None
    axes: tuple[str, ...] = ()
    typed: bool = False
    where: Where = NOWHERE
    library: bool = False
    guards: tuple[Guard, ...] = ()
    turns: tuple[int, ...] = ()

    def inside(self, place: int, turn: int | None = -1, **changes: Any) -> Scope:
        """The scope of a structure at a place, in one of its turns or branches."""
        return replace(self, key=(*self.key, place, turn), **changes)

    def named(self, what: str, name: str, place: int) -> tuple[tuple[str, str, int], ...]:
        """``within`` for what stands in a structure at a place."""
        return (*self.within, (what, name, len(self.key) + 1))


@dataclass
class Tape:
    """Everything noted; what is traced twice notes twice, and the last one stays.

    Attributes:
        names: value id → the learner's own name for it.
        made_from: id of a body's argument → id of the value it is made from.
        bring: bytes of a value beyond which only its leading block is brought.
        follow: how many steps a loop or call may have to be followed into.
        notes: what was summarised.
        mesh: that the arguments lie on, for a ``shard_map`` that is told none of its own.
    """

    names: dict[int, str] = field(default_factory=dict)
    made_from: dict[int, int | None] = field(default_factory=dict)
    bring: int = 1 << 60
    follow: int = 1 << 30
    notes: list[str] = field(default_factory=list)
    mesh: Any = None
    ids: Any = field(default_factory=itertools.count)

    def new(self) -> int:
        """A value nobody has seen."""
        return next(self.ids)
