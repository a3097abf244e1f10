"""More recordings written by hand: each kind of collective, a loop, a branch, many devices."""

from dataclasses import replace

import numpy as np

from labkit.facts import Collective, Mesh, Recording, Source, Step, Value, Within
from tests.pure.made import processes
from tests.pure.recorded import GRID, ROWS, each, value

COLUMNS = tuple((f"p0·d{d}", f"p1·d{d}") for d in range(4))
ALL = (GRID.devices,)
RING = tuple(zip(GRID.devices, GRID.devices[1:] + GRID.devices[:1], strict=True))
DOWN = tuple(pair for a, b in COLUMNS for pair in ((a, b), (b, a)))
V = value("v", each(lambda n: np.array([n, 10 * n], "float32")))


def over(members: tuple[str, ...], total: bool = True) -> np.ndarray:
    parts = [V.held[device] for device in members]
    return sum(parts) if total else np.concatenate(parts)


def collective(op: str, groups, axes, total: bool = True, name: str = "v1") -> Step:
    """A sum or a gather of ``V`` over groups of devices."""
    of = {device: members for members in groups for device in members}
    gave = value(name, {device: over(of[device], total) for device in GRID.devices})
    collective = Collective(op, axes, groups, bytes=8, moved=8 * (len(groups[0]) - 1))
    return Step(0, op, reads=(V,), gives=(gave,), collective=collective, mesh=GRID)


def ring(sends=RING) -> Step:
    """Each device gives its value to one other."""
    held = {to: V.held[sender] for sender, to in sends}
    gave = value(
        "v1", {device: held.get(device, np.zeros(2, "float32")) for device in GRID.devices}
    )
    groups = (tuple(dict.fromkeys(label for pair in sends for label in pair)),)
    collective = Collective("ppermute", ("x", "y"), groups, sends, bytes=8, moved=8)
    return Step(0, "ppermute", reads=(V,), gives=(gave,), collective=collective, mesh=GRID)


def matmul() -> Step:
    """Two matrices on each device, and their product."""
    a = value("acts", each(lambda n: np.arange(12, dtype="float32").reshape(3, 4) + n))
    b = value("weights", each(lambda n: np.eye(4, 6, dtype="float32") / (1 + n)))
    c = value("v7", {d: a.held[d] @ b.held[d] for d in GRID.devices})
    return Step(0, "dot_general", reads=(a, b), gives=(c,), mesh=GRID)


def big() -> Step:
    """Values of which only the beginning was fetched."""
    shown = each(lambda n: np.linspace(0, 1 + n, 8, dtype="float32").reshape(2, 4))
    about = {"complete": False, "digests": {d: f"h{d}" for d in GRID.devices}}
    one = replace(value("batch", shown), shape=(64, 1024), **about)
    return Step(0, "exp", reads=(one,), gives=(replace(one, name="v9"),), mesh=GRID)


LOOP = """\
def body(carry, x):
    carry = carry + jax.lax.psum(x, "y")
    return carry, carry * 2

total, doubled = jax.lax.scan(body, 0.0, xs)
safe = jax.lax.cond(total > 20, jnp.sqrt, lambda t: -t, total)"""


def at(line: int, part: str) -> Source:
    text = LOOP.splitlines()[line - 1]
    start = text.index(part)
    return Source("cell 3", line, text, (start, start + len(part)))


def loop() -> Recording:
    """A scan of three turns with a psum in each, then a branch that only some devices take."""
    steps: list[Step] = []

    def add(op, line, part, reads, name, make, **more) -> Value:
        held = each(make)
        gave = value(name, {d: np.float32(v) for d, v in held.items()})
        steps.append(Step(len(steps), op, at(line, part), reads, (gave,), mesh=GRID, **more))
        return gave

    carry = value("init", each(lambda n: np.float32(0)))
    sums = (6, 22)
    for turn in range(3):
        within = (Within("scan", "body", turn, 0),)
        x = value(f"x{turn}", each(lambda n: np.float32(n)))
        psum = Collective("psum", ("y",), ROWS, bytes=4, moved=6)
        part = 'jax.lax.psum(x, "y")'
        total = add(
            "psum",
            2,
            part,
            (x,),
            f"s{turn}",
            lambda n: sums[n // 4],
            collective=psum,
            within=within,
        )
        was = carry
        carry = add(
            "add",
            2,
            "carry + " + part,
            (was, total),
            f"c{turn}",
            lambda n, t=turn: (t + 1) * sums[n // 4],
            within=within,
        )
        add(
            "mul",
            3,
            "carry * 2",
            (carry,),
            f"d{turn}",
            lambda n, t=turn: 2 * (t + 1) * sums[n // 4],
            within=within,
        )
    more = add("gt", 6, "total > 20", (carry,), "v1", lambda n: 3 * sums[n // 4] > 20)
    add("convert_element_type", 6, "total > 20", (more,), "v2", lambda n: 1.0, quiet=True)
    start = len(steps)
    for branch, (op, fill) in enumerate((("neg", -18.0), ("sqrt", 66**0.5))):
        within = (Within("cond", "", branch, start),)
        add(
            op,
            6,
            "jnp.sqrt" if branch else "-t",
            (carry,),
            f"b{branch}",
            lambda n, f=fill: f,
            within=within,
            skipped=ROWS[1 - branch],
        )
    return Recording("run(xs)", LOOP, "cell 3", 1, tuple(steps), processes=processes(2, 4))


def wide(number: int = 8, devices: int = 8) -> Step:
    """A psum over the rows of many devices."""
    labels = tuple(f"p{p}·d{d}" for p in range(number) for d in range(devices))
    mesh = Mesh(("data", "model"), (number, devices), labels)
    rows = tuple(labels[p * devices : (p + 1) * devices] for p in range(number))
    v = value("v", {d: np.float32(n) for n, d in enumerate(labels)}, mesh)
    sums = {d: sum(v.held[o] for o in rows[n // devices]) for n, d in enumerate(labels)}
    collective = Collective("psum", ("model",), rows, bytes=4, moved=7)
    return Step(
        0, "psum", reads=(v,), gives=(value("v1", sums, mesh),), collective=collective, mesh=mesh
    )


ONE_OF_EACH = {
    "psum over columns": collective("psum", COLUMNS, ("x",)),
    "psum over all": collective("psum", ALL, ("x", "y")),
    "all_gather": collective("all_gather", ROWS, ("y",), total=False),
    "ring": ring(),
    "up and down": ring(DOWN),
    "matmul": matmul(),
    "big": big(),
}
