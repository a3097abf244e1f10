"""A recorded step in words: what it computes, who exchanges with whom, what is equal where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labkit.draw.words import count, device_names, spec_text
from labkit.facts import Exchange, Step, Value, Within

NAMED = 4
"""So many operands and results are named, then it says how many more there are."""

LOOPS = ("scan", "while", "fori_loop")

UNITS = ("B", "KiB", "MiB", "GiB")


def size_text(size: float) -> str:
    """``"12 B"``, ``"1.5 MiB"``."""
    unit = 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f} {UNITS[unit]}" if size == int(size) else f"{size:.1f} {UNITS[unit]}"


def value_type(value: Value) -> str:
    """``"float32[2,4]"``, with the spec of a global array after it."""
    shape = ",".join(str(size) for size in value.shape)
    spec = spec_text(value.spec)
    return f"{value.dtype}[{shape}]" + f" {spec}" * bool(spec)


def names(values: Sequence[Value]) -> list[str]:
    """The first few names, then how many more there are."""
    more = len(values) - NAMED
    return [value.name for value in values[:NAMED]] + [f"… {more} more"] * (more > 0)


def equation(step: Step) -> str:
    """``"v3 = psum(v1)"``."""
    made = ", ".join(names(step.gives))
    if not step.reads and not step.gives:
        return step.op
    return f"{made} = " * bool(made) + f"{step.op}({', '.join(names(step.reads))})"


def agreement(value: Value) -> str:
    """``"v3 is equal along y and varies along x"``; nothing where there is no mesh."""
    if not value.varies and value.digests and len(set(value.digests.values())) == 1:
        return f"{value.name} is the same on every device"
    equal = f"is equal along {' and '.join(value.equal)}" if value.equal else ""
    varies = f"varies along {' and '.join(value.varies)}" if value.varies else ""
    told = " and ".join(words for words in (equal, varies) if words)
    return f"{value.name} {told}" if told else ""


def exchange_words(exchange: Exchange) -> str:
    """``"psum over y: 2 groups of 4 devices; each gives 8 B, at least 12 B leave it"``."""
    over = f" over {' and '.join(exchange.axes)}" if exchange.axes else ""
    told = [f"{exchange.op}{over}: {_partners(exchange)}", _sizes(exchange)]
    return "; ".join(words for words in told if words)


def _partners(exchange: Exchange) -> str:
    if exchange.sends:
        return f"{count(len(exchange.sends), 'device')} send to one other each"
    sizes = [len(group) for group in exchange.groups]
    if not sizes:
        return "the groups are not known"
    if len(set(sizes)) > 1:
        return f"{len(sizes)} groups of {' and '.join(map(str, sizes))} devices"
    many = "one group" if len(sizes) == 1 else f"{len(sizes)} groups"
    return f"{many} of {count(sizes[0], 'device')}"


def _sizes(exchange: Exchange) -> str:
    given = f"each gives {size_text(exchange.bytes)}" if exchange.bytes else ""
    moved = f"at least {size_text(exchange.moved)} leave it" if exchange.moved else ""
    return ", ".join(words for words in (given, moved) if words)


def group_lines(exchange: Exchange) -> Iterator[str]:
    """Who takes part with whom, a line for each group; or who sends to whom."""
    if exchange.sends:
        yield "sends: " + ", ".join(f"{a} → {b}" for a, b in exchange.sends)
    for group in exchange.groups if not exchange.sends else ():
        yield f"together: {device_names(group)}"


def place_in_program(within: Sequence[Within]) -> str:
    """``"scan, turn 2 · jit relu"``, from the outermost to the innermost."""
    return " · ".join(map(within_words, within))


def within_words(within: Within) -> str:
    """``"scan, turn 2"`` (counted from 1), ``"cond, branch 0"``, ``"jit relu"``."""
    name = f"{within.what} {within.name}".strip()
    if within.turn < 0:
        return name
    if within.what in LOOPS:
        return f"{name}, turn {within.turn + 1}"
    return f"{name}, branch {within.turn}"


def skipped_words(step: Step) -> str:
    """On which devices a step did not run; nothing if it ran on all."""
    return f"did not run on {device_names(step.skipped)}" if step.skipped else ""
