"""Recordings written by hand: what the processes would tell of small programs, made with numpy."""

from collections.abc import Callable

import numpy as np

from labkit.facts import Collective, Mesh, Recording, Source, Step, Value, Within
from tests.pure.made import processes

CELL = """\
mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))

def body(v):
    w = v * 2
    total = jax.lax.psum(w, "y")
    return total + 1

f = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x")))
"""
GRID = Mesh(
    ("x", "y"),
    (2, 4),
    tuple(f"p{p}·d{d}" for p in range(2) for d in range(4)),
    ("Manual", "Manual"),
)
ROWS = tuple(GRID.devices[4 * p : 4 * p + 4] for p in range(2))
ONCE = Within("jit", "f")


def source(line: int, part: str) -> Source:
    """Where ``part`` stands in a line of the cell."""
    text = CELL.splitlines()[line - 1]
    start = text.index(part)
    return Source("cell 2", line, text, (start, start + len(part)))


def value(name: str, held: dict[str, np.ndarray], mesh: Mesh = GRID, **more) -> Value:
    """One value inside the ``shard_map``, its equal and its varying axes as they are."""
    some = held[mesh.devices[0]]
    table = np.array([held[d].tobytes() for d in mesh.devices], object).reshape(mesh.shape)
    first = [np.take(table, [0], axis) for axis in range(len(mesh.shape))]
    equal = tuple(n for n, one in zip(mesh.axis_names, first, strict=True) if (table == one).all())
    varies = tuple(name for name in mesh.axis_names if name not in equal)
    digests = {device: array.tobytes().hex() for device, array in held.items()}
    about = {"equal": equal, "varies": varies, "digests": digests} | more
    return Value(name, some.shape, str(some.dtype), held, **about)


def each(make: Callable[[int], np.ndarray]) -> dict[str, np.ndarray]:
    """Device label → ``make(its place in the mesh)``."""
    return {device: make(place) for place, device in enumerate(GRID.devices)}


def psum() -> Recording:
    """``v * 2``, a psum over ``y`` and ``+ 1``, on two processes with four devices each."""
    whole = np.arange(16, dtype=np.int32).reshape(2, 8)
    cut = {d: ((n // 4, n // 4 + 1), (n % 4 * 2, n % 4 * 2 + 2)) for d, n in places().items()}
    v = each(lambda n: whole[n // 4 : n // 4 + 1, n % 4 * 2 : n % 4 * 2 + 2])
    w = {device: part * 2 for device, part in v.items()}
    total = each(lambda n: sum(w[device] for device in ROWS[n // 4]))
    result = {device: part + 1 for device, part in total.items()}
    named = {n: value(n, h) for n, h in (("v", v), ("v1", w), ("v2", total), ("v3", result))}
    given = value("x", v, index=cut, spec=("x", "y"))
    rows = {d: ((n // 4, n // 4 + 1), (0, 2)) for d, n in places().items()}
    gave = value("v4", result, index=rows, spec=("x",))
    where = source(5, 'jax.lax.psum(w, "y")')
    steps = (
        _step(0, "mul", source(4, "v * 2"), named["v"], named["v1"]),
        _step(1, "psum", where, named["v1"], named["v2"], collective(where)),
        _step(2, "add", source(6, "total + 1"), named["v2"], named["v3"]),
    )
    return Recording(
        "f(x)",
        CELL,
        "cell 2",
        steps=steps,
        arguments=(_shaped(given, (2, 8)),),
        results=(_shaped(gave, (2, 2)),),
        compiled=(compiled(where),),
        processes=processes(2, 4),
    )


def places() -> dict[str, int]:
    """Device label → its place in the mesh."""
    return {device: place for place, device in enumerate(GRID.devices)}


def collective(where: Source) -> Collective:
    """The psum: one group a row, 8 bytes in; three quarters of them must leave, twice."""
    return Collective("psum", ("y",), ROWS, bytes=8, moved=12, source=where)


def compiled(where: Source) -> Collective:
    """The same, as the compiled program has it."""
    text = "%psum.1 = s32[1,2]{1,0} all-reduce(%mul.1), replica_groups={{0,1,2,3},{4,5,6,7}}"
    return Collective("all-reduce", (), ROWS, (), 8, 12, "compiler", where, text)


def _step(
    number: int,
    op: str,
    where: Source,
    read: Value,
    gave: Value,
    collective: Collective | None = None,
) -> Step:
    return Step(number, op, where, (read,), (gave,), collective, (ONCE,), GRID)


def _shaped(one: Value, shape: tuple[int, ...]) -> Value:
    return Value(**{**one.__dict__, "shape": shape})


def chain(length: int) -> Recording:
    """A program of many steps, for what has to stay quick: the psum's three, over and over."""
    short = psum()
    repeated = (short.steps[n % 3] for n in range(length))
    steps = tuple(Step(**{**s.__dict__, "number": n}) for n, s in enumerate(repeated))
    return Recording(**{**short.__dict__, "steps": steps})
