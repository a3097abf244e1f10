"""Copies that differ and where they go, in words."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from labkit.facts import Descent, Origin, Trace
from labkit.text.recording import equation
from labkit.text.words import band_lines, device_names


def descent_text(found: Descent) -> str:
    """The same in words."""
    lines = [*band_lines(found.why), f"{found.expression}  {verdict(found)}"]
    for origin in found.origins:
        made = f"step {origin.step}: " * (origin.step >= 0)
        lines.append(f"  {made}{origin_words(origin)}")
    for number, traces in groupby(found.traces, lambda trace: trace.step.number):
        told = list(traces)
        lines.append(f"  step {number}  {equation(told[0].step)}")
        lines += [f"    {trace_words(trace)}" for trace in told]
    return "\n".join(lines)


def verdict(found: Descent) -> str:
    """What became of the copies that differ, in a sentence."""
    if not found.origins:
        return "no copies differ"
    names = " and ".join(dict.fromkeys(origin.value.name for origin in found.origins))
    told = f"the copies of {names} differ"
    if not found.results:
        return f"{told}; no result descends from them"
    hidden = {trace.value.name for trace in found.traces if trace.hidden} & set(found.results)
    shown = found.results[:4]
    ends = f"{told}, and {' and '.join(shown)} {'descends' if len(shown) == 1 else 'descend'}"
    return f"{ends} from them" + "; no comparison of copies finds that" * bool(hidden)


def origin_words(origin: Origin) -> str:
    """``"the copies of a differ: a on p0·d0, a′ on p1·d0"``."""
    places = _places(origin.versions).replace("from ", "")
    return f"the copies of {origin.value.name} differ: {places}"


def trace_words(trace: Trace) -> str:
    """``"v2 descends from a on p0·d0, from a′ on p1·d0"``, and what became of it."""
    found = f"{trace.value.name} descends {_places(trace.versions)}"
    return found + "; no comparison of its copies finds that" * trace.hidden


def _places(versions: Mapping[str, tuple[str, ...]]) -> str:
    by_copy: dict[tuple[str, ...], list[str]] = {}
    for device, copies in versions.items():
        by_copy.setdefault(copies, []).append(device)
    told = (f"from {' and '.join(of)} on {device_names(on)}" for of, on in by_copy.items())
    return ", ".join(told)


def copy_names(found: Descent) -> list[str]:
    """What the copies are called: ``["a", "a′"]``."""
    names = (name for origin in found.origins for of in origin.versions.values() for name in of)
    return sorted(dict.fromkeys(names))
