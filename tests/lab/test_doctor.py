import dataclasses

import numpy as np

import labkit
from labkit.cli import command, doctor, experiments


def test_the_doctor_finds_every_value_right(capsys):
    assert command.main(["doctor"]) == 0
    said = capsys.readouterr().out
    for words in ("p0·d0  A  [:]  12 16", "44 48", "56 64", "A′", "is ready"):
        assert words in said
    assert labkit.current() is None


def test_the_doctor_fails_on_one_wrong_value(monkeypatch):
    right = experiments.psum()
    wrong = {"local_sum": {**right.expected["local_sum"], "p1·d2": np.array([12, 16])}}
    monkeypatch.setattr(experiments, "psum", lambda: dataclasses.replace(right, expected=wrong))
    said = []
    assert doctor.main(said.append) == 1
    assert "local_sum on p1·d2: expected [12 16], found [44 48]" in said[-1]
    assert said[-1].count("expected") == 1
