import socket

import pytest

from labkit.cli import doctor
from labkit.cluster import memory


def test_a_healthy_machine_has_no_trouble():
    assert doctor.version_trouble() == []
    assert doctor.port_trouble() == []


def test_every_dependency_is_listed_with_its_version():
    lines = list(doctor.versions())
    assert len(lines) == 1 + len(doctor.needs())
    assert any(line.startswith("jax 0.1") for line in lines)
    assert not any("pytest" in line or "missing" in line for line in lines)


@pytest.mark.parametrize(("found", "words"), [("0.4.30", "jax 0.4.30"), ("", "jax is missing")])
def test_a_version_outside_the_range_is_named_with_the_cure(monkeypatch, found, words):
    real = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: found if name == "jax" else real(name))
    [trouble] = doctor.version_trouble()
    assert trouble.startswith(words)
    assert "pip install" in trouble


def test_too_little_memory_is_said_in_numbers(monkeypatch):
    monkeypatch.setattr(memory, "free_mb", lambda: 200)
    [trouble] = doctor.memory_trouble()
    assert "200 MB" in trouble


def test_a_closed_loopback_is_said(monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError("not permitted")

    monkeypatch.setattr(socket, "create_connection", refuse)
    [trouble] = doctor.port_trouble()
    assert "127.0.0.1" in trouble


def test_windows_is_sent_to_wsl(monkeypatch):
    monkeypatch.setattr(doctor.platform, "system", lambda: "Windows")
    monkeypatch.setattr(doctor, "examine", lambda say: pytest.fail("must not start a lab"))
    said = []
    assert doctor.main(said.append) == 1
    assert "WSL2" in said[-1]


def test_a_mac_whose_lab_does_not_start_hears_why(monkeypatch):
    def refuse(**kwargs):
        raise doctor.LabError("no process came")

    monkeypatch.setattr(doctor.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(doctor.labkit, "start", refuse)
    [trouble] = doctor.examine(print)
    assert "no process came" in trouble
    assert "28160" in trouble


def test_trouble_anywhere_makes_the_verdict_bad():
    assert "is ready" in doctor.verdict([])
    assert doctor.verdict(["a", "b"]).splitlines()[-2:] == ["- a", "- b"]
