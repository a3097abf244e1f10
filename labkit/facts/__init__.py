"""Facts: what the processes told us, as plain frozen records.

Pictures, lessons and checks are made from these and from nothing else, so a fact
written by hand draws exactly like one that came from a running process.
No jax here: values are numpy arrays, devices are labels such as ``"p1·d0"``.
"""

from labkit.facts.cell import Failure, Help, Output, Scene
from labkit.facts.flight import Bar, Flight, Launch
from labkit.facts.held import (
    Array,
    Device,
    Mesh,
    Process,
    Shard,
    Slice,
    Thing,
    Variable,
    View,
    device_label,
    host_label,
)
from labkit.facts.roll import RollCall, Row
from labkit.facts.timeline import Collective, Lane, Timeline, Work

__all__ = [
    "Array",
    "Bar",
    "Collective",
    "Device",
    "Failure",
    "Flight",
    "Help",
    "Lane",
    "Launch",
    "Mesh",
    "Output",
    "Process",
    "RollCall",
    "Row",
    "Scene",
    "Shard",
    "Slice",
    "Thing",
    "Timeline",
    "Variable",
    "View",
    "Work",
    "device_label",
    "host_label",
]
