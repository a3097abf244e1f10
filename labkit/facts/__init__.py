"""Facts: what the processes told us, as plain frozen records.

Pictures, lessons and checks are made from these and from nothing else, so a fact
written by hand draws exactly like one that came from a running process.
No jax here: values are numpy arrays, devices are labels such as ``"p1·d0"``.
"""

from labkit.facts.arrays import Array, Device, Mesh, Process, Shard, Slice, Thing, Variable, View
from labkit.facts.divergence import Descent, Origin, Trace
from labkit.facts.flight_recorder import DeviceOp, Flight, Launch
from labkit.facts.labels import device_label, host_label
from labkit.facts.loading import RowsRead
from labkit.facts.outputs import Failure, Help, Output
from labkit.facts.recording import (
    Agreement,
    Collective,
    Held,
    Recording,
    Source,
    Step,
    Value,
    Within,
)
from labkit.facts.replicas import Copies, Leaf, ReplicaReport
from labkit.facts.roll_call import ProcessStatus, RollCall
from labkit.facts.scenes import Scene, ScenePlace
from labkit.facts.timeline import CollectiveRun, Lane, Timeline, Work
from labkit.facts.timing import TimedCall, Timing

__all__ = [
    "Agreement",
    "Array",
    "Collective",
    "CollectiveRun",
    "Copies",
    "Descent",
    "Device",
    "DeviceOp",
    "Failure",
    "Flight",
    "Held",
    "Help",
    "Lane",
    "Launch",
    "Leaf",
    "Mesh",
    "Origin",
    "Output",
    "Process",
    "ProcessStatus",
    "Recording",
    "ReplicaReport",
    "RollCall",
    "RowsRead",
    "Scene",
    "ScenePlace",
    "Shard",
    "Slice",
    "Source",
    "Step",
    "Thing",
    "TimedCall",
    "Timeline",
    "Timing",
    "Trace",
    "Value",
    "Variable",
    "View",
    "Within",
    "Work",
    "device_label",
    "host_label",
]
