"""predict: commit to an answer first, then hold it against what the processes gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labkit.errors import LabError
from labkit.lessons.cards import Card
from labkit.lessons.catalog import question
from labkit.lessons.lab_queries import NotAttempted, Wrong, running
from labkit.text.markup import escaped, marked, worded

committed: dict[str, str] = {}
"""Question id → the choice the learner committed to; the first one counts."""

_offered: dict[str, tuple[str, ...]] = {}
_answered: set[str] = set()


@dataclass(frozen=True, repr=False)
class Offer:
    """A question with its choices: radio buttons in a notebook, a list in plain text.

    Attributes:
        id: of the question.
        choices: possible answers, in order.
    """

    id: str
    choices: tuple[str, ...]

    def commit(self, choice: str | None) -> str:
        """Take the learner's answer, unless there is one already; the words to show for it."""
        if choice is None:
            return "Pick one first."
        late = self.id in _answered and self.id not in committed
        chosen = committed.setdefault(self.id, choice)
        return f"You predict {chosen}" + (" (the processes have answered already)" if late else "")

    def __repr__(self) -> str:
        rows = [f"  ({'x' if c == committed.get(self.id) else ' '}) {c}" for c in self.choices]
        return "\n".join([f"{self.id} · Predict: {question(self.id).text}", *rows, self._said()])

    def _said(self) -> str:
        chosen = committed.get(self.id)
        return f"You predict {chosen}" if chosen else "No prediction yet."

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        static = worded("pre", repr(self))
        return {**_radio(self)._repr_mimebundle_(), "text/plain": repr(self), "text/html": static}


def predict(id: str, choices: Sequence[str] = ()) -> Offer | Card:
    """Ask for a prediction, or show it beside what the processes gave.

    With ``choices`` it offers them and goes on at once, so nothing waits for an answer.
    Without, it reads the truth from the running lab and shows the prediction beside it.

    Args:
        id: lesson and letter, ``"01.a"``.
        choices: possible answers, in order.

    Returns:
        Radio buttons with a Commit button (a list in plain text), or a card.

    Raises:
        LabError: there is no such question.
    """
    asked = question(id)
    if choices:
        _offered[id] = tuple(choices)
        return Offer(id, _offered[id])
    try:
        truth = asked.truth(running())
    except (LabError, NotAttempted, Wrong) as error:
        return Card(f"{id} · No answer from the processes", f"{error}\nRun the cells above first.")
    _answered.add(id)
    return _reveal(id, asked.text, truth)


def _reveal(id: str, text: str, truth: str) -> Card:
    chosen = committed.get(id)
    verdict = "no prediction" if not chosen else "as predicted" if chosen == truth else "a surprise"
    rows = [text, *([f"You predicted: {chosen}"] if chosen else []), f"The processes gave: {truth}"]
    if truth not in _offered.get(id, (truth,)):
        rows.append("That is none of the choices: something in the cells above was changed.")
    status = {"as predicted": "right", "a surprise": "wrong"}.get(verdict, "")
    return Card(f"{id} · {verdict.capitalize()}", "\n".join(rows), status)


def _radio(offer: Offer) -> Any:
    import ipywidgets as widgets  # only a notebook needs them

    wide = {"width": "max-content"}
    head = worded("b", f"{offer.id} · Predict:")
    title = widgets.HTML(f"{head} {marked(question(offer.id).text)}")
    chosen = committed.get(offer.id)
    known = chosen if chosen in offer.choices else None
    radio = widgets.RadioButtons(options=offer.choices, value=known, layout=wide)
    button = widgets.Button(description="Commit", tooltip="Commit to this answer", layout=wide)
    said = widgets.HTML(escaped(offer._said()))

    def commit(_: Any) -> None:
        said.value = escaped(offer.commit(radio.value))
        radio.disabled = button.disabled = offer.id in committed

    radio.disabled = button.disabled = chosen is not None
    button.on_click(commit)
    return widgets.VBox([title, radio, widgets.HBox([button, said])])
