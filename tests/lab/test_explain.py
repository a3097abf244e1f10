"""Explanations where learners meet them: in a column, in a script's error, at a start."""

import socket

import pytest

import labkit
from labkit.cluster import ports
from labkit.cluster.cluster import Cluster
from labkit.cluster.supervisor_client import can_fork
from labkit.display import results
from labkit.errors import StartError

EVERYWHERE = "NamedSharding(Mesh(jax.devices(), ('i',)), P())"
MINE = f"jax.device_put(np.full(8, jax.process_index()), {EVERYWHERE})"
UNEQUAL = "multihost_utils.process_allgather(np.arange(3 + jax.process_index()))"


@pytest.fixture
def cluster():
    cluster = Cluster(2, 1, "cpu", "fork" if can_fork() else "plain")
    yield cluster
    cluster.stop()


def test_an_error_in_a_cell_is_explained_once_in_words(lab):
    with pytest.raises(labkit.ProcessError) as caught:
        lab.run(MINE)
    for text in (str(caught.value), results.columns(caught.value.outputs).text):
        assert text.count("is not the same on each process") == 2
        assert text.count("What happened: `device_put` to devices of several processes") == 1
        assert text.count("Instead: ") == 1
    assert {f.help.lesson for f in caught.value.by_process.values()} == {"02_replicas_that_differ"}
    assert lab.state == "ready"


def test_an_error_that_nobody_knows_is_shown_as_it_is(lab):
    with pytest.raises(labkit.ProcessError) as caught:
        lab.run("1 / 0")
    assert caught.value.by_process[0].help is None
    assert "What happened" not in str(caught.value)


def test_processes_that_died_without_a_traceback_are_explained_by_their_last_words(lab):
    with pytest.raises(labkit.ProcessLost) as caught:
        lab.run(UNEQUAL)
    assert "killed by SIGABRT" in str(caught.value)
    assert str(caught.value).count("What happened: In one collective") == 1
    lab.reset()
    with pytest.raises(labkit.ProcessLost) as caught:
        lab.run("import os; os.abort()", on=1)
    assert "killed by SIGABRT" in str(caught.value)
    assert "What happened" not in str(caught.value)  # what its log tells of is an earlier end


def test_a_port_that_is_taken_at_every_try_is_explained(cluster, monkeypatch):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        monkeypatch.setattr(ports, "free_port", lambda: holder.getsockname()[1])
        with pytest.raises(StartError, match="What happened: The port") as caught:
            cluster.start(lambda text: None)
    assert "process 0 ended" in str(caught.value)
