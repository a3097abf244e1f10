"""What a compiled program calls its collectives, and how it writes who joins whom."""

from __future__ import annotations

COLLECTIVES = (
    *("all-reduce", "all-gather", "all-to-all", "ragged-all-to-all", "reduce-scatter"),
    *("collective-permute", "collective-broadcast"),
)

CALL = rf"({'|'.join(COLLECTIVES)})(-start)?\("
"""A pattern: a collective's name, ``-start`` where it only begins, and the parenthesis."""

GROUPS = (
    r"\breplica_groups="
    r"(\{\}|\{\{.*?\}\}|\[[\d,]+\]<=\[[\d,]+\](?:T\([\d,]+\))?|mesh\[.*?\] \{.*?\})"
)
"""A pattern: the groups a collective joins, in any of the forms that XLA writes."""
