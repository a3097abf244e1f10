"""Which letter and colour each slice gets, and whether the copies of a slice agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count as counter
from string import ascii_uppercase

from labkit.facts import Array, Shard, Slice, Step, Value, Variable, View

COLOURS = 8
"""How many colours there are before they begin again; letters never repeat."""

PRIMES = ("", "′", "″", "‴", "⁗")


@dataclass(frozen=True, eq=False)
class Cut:
    """One slice of an array, with everybody who holds a copy of it.

    Attributes:
        letter: ``"A"``.
        colour: number of its colour, 0 to ``COLOURS - 1``.
        index: where the slice lies in the array.
        shards: the copies, in order of device.
        variants: one number a copy: 0 for those like the first, 1 for the first that differ ...
        compared: whether the copies' contents could be compared.
    """

    letter: str
    colour: int
    index: Slice
    shards: tuple[Shard, ...]
    variants: tuple[int, ...]
    compared: bool

    @property
    def differ(self) -> bool:
        """Whether copies that should be equal are not."""
        return any(self.variants)

    @property
    def marks(self) -> tuple[str, ...]:
        """One mark a copy: ``("A", "A′")``."""
        return tuple(self.letter + prime(variant) for variant in self.variants)


@dataclass(frozen=True, eq=False)
class HeldShard:
    """What one device holds: a shard, and the slice it is a copy of."""

    cut: Cut
    shard: Shard
    variant: int

    @property
    def mark(self) -> str:
        """``"A′"``."""
        return self.cut.letter + prime(self.variant)


def letter(number: int) -> str:
    """``A`` to ``Z``, then ``AA``, ``AB`` and so on."""
    head = letter(number // 26 - 1) if number >= 26 else ""
    return head + ascii_uppercase[number % 26]


def prime(variant: int) -> str:
    """What is put after the letter of a copy that differs: ``′``, ``″`` and so on."""
    return PRIMES[variant] if variant < len(PRIMES) else f"′{variant}"


def cuts(variable: Variable) -> tuple[tuple[Cut, ...], ...]:
    """The lettered slices of each array of a variable, in order of ``variable.arrays``.

    Letters go on from one array to the next, so that only copies of one slice of one
    array share a letter.
    """
    numbers = counter()
    return tuple(_of_array(array, numbers) for array in variable.arrays)


@dataclass(frozen=True, eq=False)
class Lettered:
    """A variable with letters on its slices: made once, for its words and for its picture.

    Attributes:
        variable: a name's facts.
    """

    variable: Variable

    @cached_property
    def cuts(self) -> tuple[tuple[Cut, ...], ...]:
        """The lettered slices of each array, in order of ``variable.arrays``."""
        return cuts(self.variable)

    @property
    def arrays(self) -> Iterator[tuple[Array, tuple[Cut, ...]]]:
        """Each array with its slices."""
        return zip(self.variable.arrays, self.cuts, strict=True)

    @property
    def views(self) -> Iterator[tuple[View, tuple[Cut, ...]]]:
        """Each view with the slices of its array; with none where it is of something else."""
        groups = iter(self.cuts)
        for view in self.variable.views:
            yield view, next(groups) if isinstance(view.value, Array) else ()

    @property
    def differ(self) -> bool:
        """Whether copies of a slice are not equal."""
        return any(cut.differ for group in self.cuts for cut in group)


def held(groups: tuple[tuple[Cut, ...], ...]) -> dict[str, HeldShard]:
    """Device label → what it holds."""
    return {
        shard.device: HeldShard(cut, shard, variant)
        for group in groups
        for cut in group
        for shard, variant in zip(cut.shards, cut.variants, strict=True)
    }


def _of_array(array: Array, numbers: counter) -> tuple[Cut, ...]:
    slices: dict[Slice, list[Shard]] = {}
    for shard in array.shards:
        slices.setdefault(shard.index, []).append(shard)
    return tuple(_cut(next(numbers), index, slices[index]) for index in sorted(slices))


def _cut(number: int, index: Slice, shards: list[Shard]) -> Cut:
    contents = _contents(shards)
    seen: dict[object, int] = {}
    variants = tuple(seen.setdefault(content, len(seen)) for content in contents)
    compared = None not in contents
    return Cut(letter(number), number % COLOURS, index, tuple(shards), variants, compared)


def _contents(shards: list[Shard]) -> list[object]:
    """Something equal where the contents are equal; None for all where that is not known."""
    if all(shard.digest for shard in shards):
        return [shard.digest for shard in shards]
    if any(shard.value is None for shard in shards):
        return [None] * len(shards)
    # Bytes, as a digest would: equal NaNs are equal, 0.0 and -0.0 are not.
    seen = [shard.value.tobytes() for shard in shards]
    known = all(shard.complete for shard in shards) or len(set(seen)) > 1
    return seen if known else [None] * len(shards)


Letters = dict[tuple[Value, str], int]
"""(value, device label) → number of the letter of what that device holds of the value.

By the value and not by its name: a learner may call the result what the operand was called.
"""


def alike(step: Step) -> Letters:
    """Numbers given out in the order in which different contents are met, operands first.

    Within one step equal letters are equal contents, whichever value they belong to, so a
    permutation shows as the same letters in other places. A device that did not run has none.
    """
    seen: dict[object, int] = {}
    return {
        (value, device): seen.setdefault(_content(value, device), len(seen))
        for value in (*step.reads, *step.gives)
        for device in value.held
        if device not in step.skipped
    }


def _content(value: Value, device: str) -> object:
    """Something equal where the contents are equal; of its own where that is not known."""
    array = value.held[device]
    if device in value.digests:
        return value.dtype, value.shape, value.digests[device]
    if value.complete:
        return value.dtype, array.shape, array.tobytes()
    return value.name, device
