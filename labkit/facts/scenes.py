"""What a stage steps through: pictures with their words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ScenePlace:
    """Where a scene stands in a recorded program; nothing of it is set in other scenes.

    Attributes:
        kind: ``"step"``, ``"collective"``, ``"fold"`` for a loop or a call as a whole,
            ``"call"`` for the program as a whole, ``"gap"`` where only the recording beside it
            has a step; empty outside of recordings.
        quiet: a step that is left out at first.
        within: places of the folds it stands in among the run's scenes, outermost first.
        differs: it is not the same in the recording beside it.
        reads, gives: names of the values the step takes and makes.
    """

    kind: str = ""
    quiet: bool = False
    within: tuple[int, ...] = ()
    differs: bool = False
    reads: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """One picture of a step on the stage.

    Attributes:
        title: a few words, for the step list.
        svg: the picture, without its words and its style sheet: the stage has both.
        caption: one or two sentences on what to see (plain text).
        alt: the picture in words, for terminals and screen readers.
        source: the program the processes ran; the same in every scene of one run.
        line: the line of ``source`` this scene shows, from 1; 0 for none.
        illustration: true where the picture shows what nobody can observe.
        span: first and one-past-last column of the part of that line that is meant; (0, 0) for
            all of it.
        first: the number shown at the first line of ``source``.
        part: where it stands in a recorded program.
    """

    title: str
    svg: str
    caption: str
    alt: str
    source: str = ""
    line: int = 0
    illustration: bool = False
    span: tuple[int, int] = (0, 0)
    first: int = 1
    part: ScenePlace = ScenePlace()
