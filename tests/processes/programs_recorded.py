"""The programs that test_record records, and what plain numpy says of them."""

from collections.abc import Callable

import numpy as np

SHAPE = (8, 16)
WHOLE = (np.arange(128, dtype=np.float32).reshape(SHAPE) % 13) - 5
ONE_AXIS = np.arange(16, dtype=np.float32)

Parts = np.ndarray
"""Places in the mesh, then the elements of each device."""


def along_y(how: Callable) -> Callable[[Parts], Parts]:
    return lambda parts: np.broadcast_to(how(parts, axis=1, keepdims=True), parts.shape)


def gathered(parts: Parts, tiled: bool) -> Parts:
    """Along y; every device of a row gets the same."""
    b = parts.shape[1]
    rows = [np.concatenate(list(row)) if tiled else np.stack(list(row)) for row in parts]
    return np.stack([np.stack([row] * b) for row in rows])


def scattered(parts: Parts) -> Parts:
    return np.stack([np.stack(np.split(row, parts.shape[1], axis=1)) for row in parts.sum(1)])


def exchanged(parts: Parts) -> Parts:
    b = parts.shape[1]
    cut = [[np.split(part, b, axis=1) for part in row] for row in parts]
    return np.array(
        [[np.concatenate([row[k][j] for k in range(b)]) for j in range(b)] for row in cut]
    )


def places(parts: Parts) -> Parts:
    return np.add.outer(10 * np.arange(parts.shape[0]), np.arange(parts.shape[1]))


# An expression of v, each device's part of x over the mesh → what each device must get.
BODIES: dict[str, tuple[str, Callable[[Parts], Parts]]] = {
    "double": ("v * 2 + 1", lambda p: p * 2 + 1),
    "where": ("jnp.where(v > 0, v, -v)", np.abs),
    "matmul": ("v @ v.T", lambda p: p @ p.swapaxes(-1, -2)),
    "largest": ("jnp.max(v, axis=1)", lambda p: p.max(-1)),
    "index": ("v[1:, ::2]", lambda p: p[..., 1:, ::2]),
    "pick": ("v[jnp.array([1, 0])]", lambda p: p[:, :, [1, 0]]),
    "ordered": ("jnp.sort(v, axis=1)", lambda p: np.sort(p, -1)),
    "psum": ('lax.psum(v, "y")', along_y(np.sum)),
    "both": ('lax.psum(v, ("x", "y"))', lambda p: np.broadcast_to(p.sum((0, 1)), p.shape)),
    "pmean": ('lax.pmean(v, "y")', along_y(np.mean)),
    "pmax": ('lax.pmax(v, "y")', along_y(np.max)),
    "pmin": ('lax.pmin(v, "y")', along_y(np.min)),
    "gather": ('lax.all_gather(v, "y")', lambda p: gathered(p, False)),
    "tiled": ('lax.all_gather(v, "y", tiled=True)', lambda p: gathered(p, True)),
    "scatter": ('lax.psum_scatter(v, "y", scatter_dimension=1, tiled=True)', scattered),
    "ring": ('lax.ppermute(v, "x", around)', lambda p: np.roll(p, 1, 0)),
    "shuffle": ('lax.pshuffle(v, "x", mirrored)', lambda p: p[::-1]),
    "collective": ('lax.all_to_all(v, "y", 1, 0, tiled=True)', exchanged),
    "place": ('lax.axis_index("x") * 10 + lax.axis_index("y")', places),
}

SHORT = (
    "def every(v):\n    around = [(k, (k + 1) % mesh.shape['x']) for k in range(mesh.shape['x'])]\n"
)
SHORT += "    mirrored = [source for source, _ in around][::-1]\n"
SHORT += "".join(f"    {name} = {body}\n" for name, (body, _) in BODIES.items())
SHORT += f"    found = ({', '.join(BODIES)})\n    return [f.reshape(1, 1, -1) for f in found]\n"

PROGRAMS = """
def cut(body, **more):
    both = {"mesh": mesh, "in_specs": P("x", "y"), "out_specs": P("x", "y")}
    return jax.jit(jax.shard_map(body, **{**both, **more}))

def loop(v):
    def turn(carry, t):
        carry = carry * 2 + t
        return carry, lax.psum(carry, "y")
    last, sums = lax.scan(turn, v[0], v)
    return sums + last

def backwards(v):
    return lax.scan(lambda c, t: (c + t, c), v[0], v, reverse=True)[1]

def nested(v):
    def outer(c, t):
        inner = lax.fori_loop(0, 2, lambda i, d: d + lax.psum(t, "x"), c)
        return inner, inner.sum()
    return lax.scan(outer, v[0], v)[1]

def all_in_one(v):
    def turn(c, t):
        c = lax.cond(t.sum() > 0, lambda a: a + 1, lambda a: a - 1, c)
        return lax.while_loop(lambda a: jnp.sum(a) < 0, lambda a: a + 3, c), c
    return lax.scan(turn, v[0], v)[1]

def within(v):
    inner = jax.shard_map(lambda t: lax.psum(t, "y"), in_specs=P(None, "y"), out_specs=P(None, "y"),
                          axis_names={"y"}, check_vma=False)
    return inner(v) * 2

def branch(v):
    return lax.cond(lax.axis_index("y") > 0, lambda u: u * 10, lambda u: u + 1, v)

def choose(v):
    ways = [lambda u: u, lambda u: -u, lambda u: u * u]
    return lax.switch(lax.axis_index("x") * 2 % 3, ways, v)

def until(v):
    start = v[0, 0] * 0 + lax.axis_index("y").astype(v.dtype)
    return lax.while_loop(lambda c: c < 5, lambda c: c + 2, start)[None, None]

def too_long(v):
    return lax.while_loop(lambda c: c < 40, lambda c: c + 1, v[0, 0] * 0)[None, None]

def until_all(v):
    def more(c):
        return lax.psum(jnp.sum(c), ("x", "y")) < 1000
    return lax.while_loop(more, lambda c: c + 3, v)

@jax.custom_jvp
def clipped(v):
    return jnp.clip(v, -2, 2)

@clipped.defjvp
def _(primals, tangents):
    return clipped(primals[0]), tangents[0] * 0.5

@jax.custom_vjp
def halved(v):
    return v / 2

halved.defvjp(lambda v: (halved(v), None), lambda _, g: (g * 3,))

@jax.jit
def inner(v):
    return v - lax.pmean(v, ("x", "y"))

def calls(v):
    rules = jax.grad(lambda u: jnp.sum(clipped(u) * halved(u)))(v)
    again = jax.grad(lambda u: jnp.sum(jax.checkpoint(lambda t: jnp.sin(jnp.sin(t)))(u)))(v)
    return jax.nn.silu(inner(v)) * 2 + rules + again

def marked(v):
    return lax.pcast(lax.psum(v, "y"), "y", to="varying") + v

def mlp(w, u, batch):
    hidden = jax.nn.relu(batch @ w)
    return jnp.mean((hidden @ u) ** 2)

def data_parallel(w, u, batch):
    w, u = (lax.pcast(one, "x", to="varying") for one in (w, u))
    loss, grads = jax.value_and_grad(mlp, argnums=(0, 1))(w, u, batch)
    return lax.pmean(loss, "x"), lax.pmean(grads, "x")

def tensor_parallel(w, u, batch):
    def loss(w, u):
        part = jax.nn.relu(batch @ w) @ u
        return jnp.mean(lax.psum(part, "y") ** 2)
    return jax.value_and_grad(loss, argnums=(0, 1))(w, u)

dp = cut(data_parallel, in_specs=(P(), P(), P("x")), out_specs=P())
tp = cut(tensor_parallel, in_specs=(P(None, "y"), P("y"), P()),
         out_specs=(P(), (P(None, "y"), P("y"))))

partly = cut(lambda v: lax.psum(v * 2, "x") + v.sum(), in_specs=P("x"), out_specs=P("x"),
             axis_names={"x"}, check_vma=False)

def noise(key, v):
    mine = jax.random.fold_in(key, lax.axis_index("x"))
    return v + jax.random.normal(mine, v.shape)

noisy = cut(noise, in_specs=(P(), P("x", "y")), check_vma=False)
donating = jax.jit(lambda v: v * 3, donate_argnums=0)

@jax.jit
def compiler(v, w):
    hidden = v @ w
    return hidden / jnp.linalg.norm(hidden, axis=0), jnp.sum(hidden)

train = jax.jit(jax.value_and_grad(mlp, argnums=(0, 1)))
pinned = jax.jit(lambda v: v * 2, out_shardings=NamedSharding(mesh, P("y")))
summed = cut(lambda a: lax.psum(a, "y"), out_specs=P("x"))
mixed = jax.jit(lambda v: summed(v + 1) * 2)
looped = jax.jit(lambda v: lax.scan(lambda c, t: (summed(v * t).sum() + c, t), 0.0, v[:3, 0])[0])
mine_summed = jax.jit(jax.shard_map(
    lambda v: lax.psum(v, "i"), mesh=own, in_specs=P("i"), out_specs=P()))
says = jax.jit(lambda v: (jax.debug.print("seen once"), v + 1)[1])
nans = jax.jit(lambda v: jnp.log(v))
long = jax.jit(lambda v: lax.fori_loop(0, 5000, lambda i, c: c + 1, v))
failing = jax.jit(lambda v: jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct((), "int32"), v))

def told_nothing(v):
    return jax.shard_map(lambda t: lax.psum(t, "y"), in_specs=P("x", "y"), out_specs=P("x"))(v)

def remembers(v):
    global made_here
    made_here = 1
    np.random.rand()
    return v + 1
"""
CELL = SHORT + PROGRAMS

AMBIENT = "jax.jit(told_nothing)(e)"  # where a mesh is set
TOO_BIG = "cut(lambda v: v * 2 + 1)(x)"  # where little may be brought
NOT_FOLLOWED = "nans(rows)"  # where the logarithm cannot be done again
TOO_MANY = "pinned(rows)"  # where no step is few
REFUSED = [NOT_FOLLOWED, TOO_MANY]
EXPRESSIONS = [
    *(AMBIENT, TOO_BIG),
    "cut(every, check_vma=False)(x)",
    *("cut(loop)(x)", "cut(backwards)(x)", 'cut(nested, out_specs=P(("x", "y")))(x)'),
    *("cut(branch)(x)", "cut(branch, check_vma=False)(x)", "cut(choose)(x)"),
    *("cut(until)(x)", "cut(until_all)(x)", "cut(too_long)(x)", "cut(calls)(x)", "cut(marked)(x)"),
    *("dp(w, u, rows)", "tp(w_cut, u_cut, x)", "partly(rows)", "noisy(key, x)"),
    *("summed(b)", "donating(x)", "compiler(x, w)", "train(w_cut, u_cut, rows)", "pinned(x)"),
    *("mixed(x)", "looped(x)", "mine_summed(mine)", "says(x)", "nans(x)", "long(x)"),
    *("cut(all_in_one)(x)", "x.sum()"),
    'cut(within, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}, check_vma=False)(rows)',
    *("remembers(x)", "x * 2 + rows", "jnp.roll(rows, 1, axis=0)"),
    *("compiler(e, jnp.ones((16, 4)))", "cut(loop, mesh=explicit)(e)"),
]
