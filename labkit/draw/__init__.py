"""Pictures of what the processes told us: facts in, SVG and words out."""

from labkit.draw.arrays.panels import variables
from labkit.draw.frame import note, stacked
from labkit.draw.lab import lab
from labkit.draw.loading import costs, load
from labkit.draw.outputs import columns
from labkit.draw.picture import Picture, style
from labkit.draw.recording.step import step
from labkit.draw.replicas.divergence import descent
from labkit.draw.replicas.report import replicas
from labkit.draw.roll_call import roll_call
from labkit.draw.timeline.timeline import timeline
from labkit.draw.timing import measured

__all__ = [
    "Picture",
    "columns",
    "costs",
    "descent",
    "lab",
    "load",
    "measured",
    "note",
    "replicas",
    "roll_call",
    "stacked",
    "step",
    "style",
    "timeline",
    "variables",
]
