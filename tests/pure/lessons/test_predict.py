import numpy as np
import pytest

import labkit
from labkit import predict
from labkit.errors import LabError, Unsafe
from labkit.lessons import questions

CHOICES = ["[56 64] everywhere", "p0: [12 16], p1: [44 48]"]


class FakeLab:
    def __init__(self, y):
        self._y = y

    def values(self, name):
        if isinstance(self._y, Exception):
            raise self._y
        return self._y


LOCAL = FakeLab({"p0·d0": np.array([12, 16]), "p1·d0": np.array([44, 48])})


@pytest.fixture(autouse=True)
def a_kernel_just_started(monkeypatch):
    monkeypatch.setattr(questions, "committed", {})
    monkeypatch.setattr(questions, "_offered", {})
    monkeypatch.setattr(questions, "_answered", set())


@pytest.fixture
def lab(monkeypatch):
    monkeypatch.setattr(labkit, "current", lambda: LOCAL)
    return monkeypatch


def widget_parts(offer):
    title, radio, row = questions._radio(offer).children
    button, said = row.children
    return title, radio, button, said


def test_without_an_answer_it_goes_on():
    offer = predict("01.a", CHOICES)
    assert "No prediction yet" in repr(offer)
    assert all(choice in repr(offer) for choice in CHOICES)
    assert questions.committed == {}


def test_commit_takes_the_choice_once():
    _, radio, button, said = widget_parts(predict("01.a", CHOICES))
    radio.value = CHOICES[0]
    assert questions.committed == {}  # choosing is not yet committing
    button.click()
    assert questions.committed == {"01.a": CHOICES[0]}
    assert radio.disabled
    assert button.disabled
    assert said.value == f"You predict {CHOICES[0]}"


def test_commit_without_a_choice_asks_for_one():
    _, radio, button, said = widget_parts(predict("01.a", CHOICES))
    button.click()
    assert said.value == "Pick one first."
    assert not radio.disabled


def test_a_cell_run_again_shows_what_was_committed():
    questions.committed["01.a"] = CHOICES[1]
    _, radio, button, _ = widget_parts(predict("01.a", CHOICES))
    assert radio.value == CHOICES[1]
    assert button.disabled
    assert f"(x) {CHOICES[1]}" in repr(predict("01.a", CHOICES))


def test_in_a_notebook_it_is_a_widget_with_words_beside_it():
    bundle = predict("01.a", CHOICES)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert CHOICES[0] in bundle["text/plain"]
    assert CHOICES[0] in bundle["text/html"]


def test_it_shows_the_prediction_beside_what_the_processes_gave(lab):
    predict("01.a", CHOICES).commit(CHOICES[0])
    card = predict("01.a")
    assert "A surprise" in card.head
    assert f"You predicted: {CHOICES[0]}" in card.text
    assert f"The processes gave: {CHOICES[1]}" in card.text


def test_the_truth_is_what_the_processes_hold_now(lab):
    predict("01.a", CHOICES).commit(CHOICES[0])
    lab.setattr(labkit, "current", lambda: FakeLab({"p0·d0": [56, 64], "p1·d0": [56, 64]}))
    assert "As predicted" in predict("01.a").head


def test_without_a_prediction_it_still_gives_the_answer(lab):
    predict("01.a", CHOICES)
    card = predict("01.a")
    assert "No prediction" in card.head
    assert CHOICES[1] in card.text


def test_a_truth_outside_the_choices_is_said(lab):
    predict("01.a", ["[1 2] everywhere"])
    assert "none of the choices" in predict("01.a").text


def test_committing_after_the_answer_is_marked(lab):
    offer = predict("01.a", CHOICES)
    predict("01.a")
    assert "have answered already" in offer.commit(CHOICES[1])


@pytest.mark.parametrize("error", [Unsafe("out of step"), LabError("No process has 'y'.")])
def test_no_number_is_shown_where_none_can_be_read(lab, error):
    lab.setattr(labkit, "current", lambda: FakeLab(error))
    card = predict("01.a")
    assert "No answer" in card.head
    assert str(error) in card.text


def test_without_a_lab_it_says_how_to_start_one(lab):
    lab.setattr(labkit, "current", lambda: None)
    assert "labkit.start()" in predict("01.a").text


def test_an_unknown_question_is_refused_with_those_there_are():
    with pytest.raises(LabError, match=r"01\.a, 01\.b"):
        predict("01.z", CHOICES)
