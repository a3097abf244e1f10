"""What a recorded program did: every operation, and its values on every device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from labkit.facts.arrays import Mesh, Process, Slice

Held = dict[str, np.ndarray]
"""Device label → what that device holds."""


@dataclass(frozen=True)
class Source:
    """Where in the learner's own text an operation comes from.

    Attributes:
        file: ``"cell 3"`` or a file's name; empty if unknown.
        line: from 1; 0 if unknown.
        text: that line as written.
        span: first and one-past-last column of the sub-expression in ``text``, from 0;
            (0, 0) if unknown.
    """

    file: str = ""
    line: int = 0
    text: str = ""
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, eq=False)
class Value:
    """One value of a recorded program, on every device that holds a part of it.

    Attributes:
        name: the learner's own name for it where there is one, else ``"v7"``; the same in every
            step. Inside a ``shard_map`` a parameter may have its argument's name.
        shape: on one device inside a ``shard_map``, else the global shape.
        dtype: ``"float32"``, ``"key<fry>"`` ...
        held: device label → its elements, or the leading block of them when not ``complete``.
            PRNG keys come as their key data.
        complete: whether ``held`` has all elements.
        index: device label → which slice of the global array it is; empty inside a ``shard_map``,
            where each device has a value of its own.
        equal: mesh axes along which all devices hold the same bytes.
        varies: mesh axes along which some differ. Both as found, not as JAX's types say.
        spec: the sharding the program or the compiler chose, None inside a ``shard_map``.
        digests: device label → hash of all its bytes there.
        own: whether each process has a value of its own here, over no devices but its own.
        descends: device label → the copies it descends from, ``("a", "a′")``; empty where it
            descends from none that differ.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    held: Held = field(default_factory=dict)
    complete: bool = True
    index: Mapping[str, Slice] = field(default_factory=dict)
    equal: tuple[str, ...] = ()
    varies: tuple[str, ...] = ()
    spec: tuple[object, ...] | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    own: bool = False
    descends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Collective:
    """A collective: who takes part with whom, and what moves.

    Attributes:
        op: ``"psum"``, ``"all_gather"`` ... or the compiler's ``"all-reduce"``.
        axes: mesh axes it goes over; empty where only the groups are known.
        groups: device labels of those who take part together.
        sends: (from, to) pairs where each device has one partner (ppermute); else empty.
        bytes: what one device gives into it.
        moved: bytes that leave one device at the least in any way of doing it; 0 if unknown.
        by: ``"program"`` where the program says it, ``"compiler"`` where it was read from what the
            compiler made: there the program's own are found again, beside those put in.
        source: where it comes from.
        text: what the compiled program says, where it was read from there.
    """

    op: str
    axes: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    sends: tuple[tuple[str, str], ...] = ()
    bytes: int = 0
    moved: int = 0
    by: str = "program"
    source: Source = Source()
    text: str = ""


@dataclass(frozen=True)
class Within:
    """What an operation stands in, for folding.

    Attributes:
        what: ``"scan"``, ``"while"``, ``"cond"``, ``"jit"``, ``"remat"``, ``"custom_jvp"`` ...
        name: the function's name, where it has one.
        turn: iteration of a loop or number of a branch; -1 for neither.
        start: number of the first step of the whole loop, branch or call.
    """

    what: str
    name: str = ""
    turn: int = -1
    start: int = 0


@dataclass(frozen=True, eq=False)
class Step:
    """One recorded operation.

    Attributes:
        number: from 0, in program order.
        op: ``"add"``, ``"dot_general"``, ``"psum"`` ...
        source: the learner's line it comes from.
        reads: the values it takes, in order; literals are not among them.
        gives: the values it makes.
        collective: the collective it is, else None.
        within: from the outermost to the innermost loop, branch and call it stands in.
        mesh: of the ``shard_map`` it stands in; None outside of one.
        quiet: folded by default: it changes no number (``pvary``, converts of literals), or stands
            in library code.
        skipped: devices on which it did not run (a branch not taken, a loop that had ended).
        note: what could not be shown, in words; empty for nothing.
    """

    number: int
    op: str
    source: Source = Source()
    reads: tuple[Value, ...] = ()
    gives: tuple[Value, ...] = ()
    collective: Collective | None = None
    within: tuple[Within, ...] = ()
    mesh: Mesh | None = None
    quiet: bool = False
    skipped: tuple[str, ...] = ()
    note: str = ""

    @property
    def exchange(self) -> Collective | None:
        """``collective``, by the name that older notebooks have for it."""
        return self.collective

    @property
    def inputs(self) -> dict[str, Held]:
        """Value name → device label → numpy array."""
        return {value.name: value.held for value in self.reads}

    @property
    def outputs(self) -> dict[str, Held]:
        """Value name → device label → numpy array."""
        return {value.name: value.held for value in self.gives}


@dataclass(frozen=True)
class Agreement:
    """How the recorded run's results compare with a plain call of the same function.

    Attributes:
        bitwise: whether all are equal bit for bit.
        largest: largest absolute difference of any element; NaN where one side has NaN.
        scale: largest absolute value of any element of the plain results.
    """

    bitwise: bool
    largest: float = 0.0
    scale: float = 0.0

    def __str__(self) -> str:
        if self.bitwise:
            return "the recorded run equals a plain call, bit for bit"
        return f"the recorded run differs from a plain call by at most {self.largest:.3g}"


@dataclass(frozen=True, eq=False)
class Recording:
    """All that was recorded of one call.

    Attributes:
        expression: what was recorded, ``"loss(params, batch)"``.
        text: the learner's source that the steps point into; line 1 of it is line ``first``
            of ``file``.
        file: the file those lines belong to.
        first: see ``text``.
        steps: the operations in program order.
        arguments: what the function was given.
        results: what it gave.
        agreement: recorded run against a plain call.
        compiled: the collectives of the plain program as compiled.
        processes: the processes that ran it.
        notes: what was summarised or could not be followed, one sentence each.
        why: why nothing here may be trusted; empty when all may.
    """

    expression: str
    text: str = ""
    file: str = ""
    first: int = 1
    steps: tuple[Step, ...] = ()
    arguments: tuple[Value, ...] = ()
    results: tuple[Value, ...] = ()
    agreement: Agreement = Agreement(True)
    compiled: tuple[Collective, ...] = ()
    processes: tuple[Process, ...] = ()
    notes: tuple[str, ...] = ()
    why: str = ""

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)
