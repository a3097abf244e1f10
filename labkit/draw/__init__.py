"""Pictures of what the processes told us: facts in, SVG and words out."""

from labkit.draw.compose import variables
from labkit.draw.descent import descent
from labkit.draw.lab_panel import lab
from labkit.draw.laps import measured
from labkit.draw.load import costs, load
from labkit.draw.picture import Picture, style
from labkit.draw.replicas import replicas
from labkit.draw.rollcall import roll_call
from labkit.draw.sheet import note, stacked
from labkit.draw.step import step
from labkit.draw.table import columns
from labkit.draw.timeline import timeline

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
