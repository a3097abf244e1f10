"""Facts: what the processes told us, as plain frozen records.

Pictures, lessons and checks are made from these and from nothing else, so a fact
written by hand draws exactly like one that came from a running process.
No jax here: values are numpy arrays, devices are labels such as ``"p1·d0"``.
"""

from labkit.facts.arrays import Array, Device, Mesh, Process, Shard, Slice, Thing, Variable, View
from labkit.facts.divergence import Descent, Origin, Trace
from labkit.facts.flight_recorder import Bar, Flight, Launch
from labkit.facts.labels import device_label, host_label
from labkit.facts.loading import Load
from labkit.facts.outputs import Failure, Help, Output
from labkit.facts.recording import (
    Agreement,
    Exchange,
    Held,
    Recording,
    Source,
    Step,
    Value,
    Within,
)
from labkit.facts.replicas import Copies, Leaf, Report
from labkit.facts.roll_call import RollCall, Row
from labkit.facts.scenes import Part, Scene
from labkit.facts.timeline import Collective, Lane, Timeline, Work
from labkit.facts.timing import Measured, Way

__all__ = [
    "Agreement",
    "Array",
    "Bar",
    "Collective",
    "Copies",
    "Descent",
    "Device",
    "Exchange",
    "Failure",
    "Flight",
    "Held",
    "Help",
    "Lane",
    "Launch",
    "Leaf",
    "Load",
    "Measured",
    "Mesh",
    "Origin",
    "Output",
    "Part",
    "Process",
    "Recording",
    "Report",
    "RollCall",
    "Row",
    "Scene",
    "Shard",
    "Slice",
    "Source",
    "Step",
    "Thing",
    "Timeline",
    "Trace",
    "Value",
    "Variable",
    "View",
    "Way",
    "Within",
    "Work",
    "device_label",
    "host_label",
]
