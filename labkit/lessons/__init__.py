"""Lessons: predict before the processes answer, check what was built, one hint at a time.

Every verdict and every truth is read from the running lab when it is asked for. No jax here.
"""

from labkit.lessons.exercises import check, hint
from labkit.lessons.questions import predict
from labkit.lessons.score import progress
from labkit.lessons.solution import load

__all__ = ["check", "hint", "load", "predict", "progress"]
