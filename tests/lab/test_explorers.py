"""The explorers on real processes: what they show, held against plain numpy."""

import re

import numpy as np
import pytest

import labkit
from labkit.widgets.packing import whole

PROCESSES, DEVICES = 2, 4


@pytest.fixture(scope="module")
def psum(lab):
    return labkit.explore.psum(lab)


@pytest.fixture(scope="module")
def replicas(lab):
    return labkit.explore.replicas(lab)


def show(explorer, **choice) -> dict[str, str]:
    """Title → words of each scene, once the controls stand so."""
    for name, value in choice.items():
        explorer.controls[name].value = value
    assert (explorer.stage.status, explorer.stage.why) == ("", "")
    (run,) = explorer.stage.runs
    return {scene["title"]: whole(run, scene["alt"]) for scene in run["scenes"]}


def held(words: str, name: str = "") -> dict[str, list[float]]:
    """Holder → the numbers it holds, read from the text form of a picture."""
    found: dict[str, list[float]] = {}
    holder = None
    for line in words.partition(name + " ")[2].splitlines()[1:]:
        if line and not line.startswith(" "):
            break  # the next variable
        start = re.match(r" +(p\d·\w+)  .*\[.*?\] *", line)
        holder = start[1] if start else holder
        numbers = re.fullmatch(r"[-\d. ]+", line[start.end() if start else 0 :])
        if numbers:
            found.setdefault(holder, []).extend(float(n) for n in numbers[0].split())
    return found


def inputs(kind: str) -> list[np.ndarray]:
    size = 2 * DEVICES
    return [
        {
            "counting up": size * p + np.arange(size),
            "ones": np.ones(size),
            "random": np.random.default_rng(p).integers(0, 10, size, np.int32),
        }[kind]
        for p in range(PROCESSES)
    ]


@pytest.mark.parametrize("op", ["psum", "pmean", "pmax"])
@pytest.mark.parametrize("mesh", ["local mesh", "global mesh"])
@pytest.mark.parametrize("kind", ["counting up", "ones", "random"])
def test_a_collective_gives_what_numpy_gives(psum, mesh, op, kind):
    scenes = show(psum, mesh=mesh, collective=op, input=kind)
    mine = inputs(kind)
    reduce = {"psum": np.sum, "pmean": np.mean, "pmax": np.max}[op]
    for p in range(PROCESSES):
        seen = np.concatenate(mine) if mesh == "global mesh" else mine[p]
        expected = reduce(seen.reshape(-1, 2), axis=0)
        np.testing.assert_allclose(held(scenes["Read back"])[f"p{p}·host"], expected, rtol=1e-3)
        for d in range(DEVICES):
            label = f"p{p}·d{d}"
            np.testing.assert_allclose(held(scenes["After"])[label], expected, rtol=1e-3)
            np.testing.assert_array_equal(held(scenes["Shards"])[label], mine[p][2 * d : 2 * d + 2])


def test_the_questions_own_numbers(psum):
    last = show(psum, mesh="local mesh", collective="psum", input="counting up")["Read back"]
    assert held(last) == {"p0·host": [12, 16], "p1·host": [44, 48]}
    last = show(psum, mesh="global mesh")["Read back"]
    assert held(last) == {"p0·host": [56, 64], "p1·host": [56, 64]}


@pytest.mark.parametrize("mesh", [(1, 8), (2, 4), (4, 2), (8, 1)])
def test_every_device_computes_with_its_own_copies(replicas, mesh):
    scenes = show(replicas, mesh=mesh, **{"fill 0": 0, "fill 1": 5})
    holds, result = scenes["What devices hold"], held(scenes["Result"])
    assert len(result) == PROCESSES * DEVICES
    for label, values in result.items():
        fill = 5 * (label[1] == "1")
        assert set(held(holds, "a")[label]) == set(held(holds, "b")[label]) == {fill}
        assert set(values) == {(fill + 1) * (fill + 2)}
    assert "differ" in holds


def test_equal_fills_make_true_replicas(replicas):
    scenes = show(replicas, mesh=(1, 8), **{"fill 0": 3, "fill 1": 3})
    assert {n for values in held(scenes["Result"]).values() for n in values} == {20}
    assert "′" not in "".join(scenes.values())


def test_the_learners_own_names_are_left_alone(lab, psum, replicas):
    lab.run("x = 'mine'")
    show(psum, collective="pmax")
    assert dict(lab.run("x")) == {0: "mine", 1: "mine"}
