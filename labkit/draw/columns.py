"""What a cell gave in each process: one column a process, equal outputs folded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from labkit.draw.picture import Picture
from labkit.facts import Output, Process


def columns(
    outputs: Sequence[Output], processes: Sequence[Process], why: str = ""
) -> Picture:
    """One column a process in fixed order; processes with equal outputs share one.

    Args:
        outputs: what each process that ran the cell made of it.
        processes: the processes, in order.
        why: why no number may be trusted; empty when they may.
    """
    text = "\n".join(f"not to be trusted: {why}" for _ in range(bool(why)))
    for o in outputs:
        text += f"\nprocess {o.process}\n  {o.text}{o.result.get('text/plain', '')}{o.status}"
        text += f"{o.error.type}: {o.error.message}" if o.error else ""
    return Picture("", text, f"<pre>{escape(text)}</pre>")
