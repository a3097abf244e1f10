"""Loops and branches of a traced program, built again around bodies that record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from labkit.engine.recording.environment import Environment, entered, lift, opened
from labkit.engine.recording.source_lines import where
from labkit.engine.recording.tape import LAST, Guard, Slot

TURNS = 32  # of a loop whose end only the run knows, so many are recorded

Evaluate = Callable[..., tuple[list[Any], list[Any]]]


def _scan(eqn: Any, place: int, env: Environment, evaluate: Evaluate) -> None:
    """Every turn's values come stacked, as the scan's own do."""
    body, consts = opened(eqn.params["jaxpr"])
    values = [env.value(v) for v in eqn.invars]
    carried = _count(eqn.outvars, body.outvars)
    before = len(values) - carried - _rest(eqn.invars, body.invars)
    fixed, first, given = _cut(values, before, carried)
    scope = env.scope.inside(place, None, where=where(eqn, env.scope.where))
    turns = (*env.scope.turns, eqn.params["length"])
    scope = replace(scope, within=env.scope.named("scan", "", place), turns=turns)
    traced: list[Environment] = []

    def turn(carry: Any, x: Any) -> Any:
        below = Environment(env.tape, scope)
        traced[:] = [below]
        parts = [*fixed, *carry, *x]
        ids = _ids(eqn.invars, body, parts, before, env, below)
        outs, _ = evaluate(body, consts, parts, ids, below)
        return outs[:carried], (outs[carried:], [v for _, v in below.kept])

    about = {key: eqn.params[key] for key in ("length", "reverse")}
    last, (stacked, kept) = lax.scan(turn, first, given, **about)
    lift(env, traced[0], kept, ("turns", about["length"], about["reverse"]))
    env.note(eqn, (*env.scope.key, place, LAST), env.make(eqn, [*last, *stacked]))


def _count(outer: Sequence[Any], body: Sequence[Any]) -> int:
    """How many values have the same rank outside and inside: those carried, not stacked."""
    pairs = zip(outer, body, strict=True)
    return sum(o.aval.ndim == b.aval.ndim for o, b in pairs)


def _rest(outer: Sequence[Any], body: Sequence[Any]) -> int:
    return len(outer) - _count(outer, body)


def _cut(values: Sequence[Any], *counts: int) -> list[list[Any]]:
    parts, start = [], 0
    for count in counts:
        parts.append(list(values[start : start + count]))
        start += count
    return [*parts, list(values[start:])]


def _ids(
    invars: Sequence[Any],
    body: Any,
    parts: Sequence[Any],
    before: int,
    env: Environment,
    below: Environment,
) -> list[int | None]:
    """What a loop is only given keeps its id; what changes from turn to turn is new."""
    outer = [env.id(v) for v in invars[before:]]
    ids = entered(body, parts[before:], outer, below, before)
    return [*(env.id(v) for v in invars[:before]), *ids]


def _cond(eqn: Any, place: int, env: Environment, evaluate: Evaluate) -> None:
    """Each branch gives what it recorded, and zeros for what the others would have."""
    taken, *values = [env.value(v) for v in eqn.invars]
    ids = [env.id(v) for v in eqn.invars[1:]]
    which = Slot(env.tape.new(), (), "int32")
    env.kept.append((which, jnp.asarray(taken, jnp.int32)))
    bodies = [opened(branch) for branch in eqn.params["branches"]]
    envs = [_branch(number, which, eqn, place, env) for number in range(len(bodies))]

    def run(number: int, values: Sequence[Any]) -> Any:
        below, (body, consts) = envs[number], bodies[number]
        below.held, below.kept, below.entries = {}, [], []
        outs, _ = evaluate(body, consts, values, ids, below)
        return outs, [_everywhere(v, below) for _, v in below.kept]

    shapes = [jax.eval_shape(lambda *v, n=n: run(n, v)[1], *values) for n in range(len(bodies))]

    def branch(number: int) -> Callable[..., Any]:
        def one(*values: Any) -> Any:
            outs, kept = run(number, values)
            zeros = [[_zeros(s, envs[number]) for s in shape] for shape in shapes]
            return outs, [kept if n == number else zero for n, zero in enumerate(zeros)]

        return one

    outs, kept = lax.switch(taken, [branch(n) for n in range(len(bodies))], *values)
    for below, arrays in zip(envs, kept, strict=True):
        _take(env, below, arrays)
    env.note(eqn, (*env.scope.key, place, LAST), env.make(eqn, outs), op="cond")


def _branch(number: int, which: Slot, eqn: Any, place: int, env: Environment) -> Environment:
    scope = env.scope.inside(
        place,
        number,
        within=env.scope.named("cond", "", place),
        where=where(eqn, env.scope.where),
        guards=(*env.scope.guards, Guard(which, number)),
    )
    return Environment(env.tape, scope)


def _take(env: Environment, below: Environment, arrays: Sequence[Any]) -> None:
    """Take over what a branch recorded; nothing stands in front of it."""
    pairs = zip(below.kept, arrays, strict=True)
    env.kept += [(slot, array) for (slot, _), array in pairs]
    env.entries += below.entries


def _everywhere(value: Any, env: Environment) -> Any:
    """The value, of a type that varies along every axis: all branches must give the same types."""
    if not env.scope.typed:
        return value
    missing = tuple(a for a in env.scope.axes if a not in _varying(value))
    return lax.pcast(value, missing, to="varying") if missing else value


def _varying(value: Any) -> frozenset[str]:
    about = jax.typeof(value)
    return about.vma if hasattr(about, "vma") else about.mat.varying


def _zeros(shape: Any, env: Environment, count: tuple[int, ...] = ()) -> Any:
    return _everywhere(jnp.zeros((*count, *shape.shape), shape.dtype), env)


def _while(eqn: Any, place: int, env: Environment, evaluate: Evaluate) -> None:
    """The first turns are written into buffers which the loop carries, with a count of turns."""
    about, values = eqn.params, [env.value(v) for v in eqn.invars]
    for_test, fixed, first = _cut(values, about["cond_nconsts"], about["body_nconsts"])
    before = len(for_test)
    count = Slot(env.tape.new(), (), "int32")
    below = _loop(count, eqn, place, env)
    body, consts = opened(about["body_jaxpr"])

    def turn(carry: Sequence[Any]) -> Any:
        below.held, below.kept, below.entries = {}, [], []
        parts = [*fixed, *carry]
        ids = _ids(eqn.invars[before:], body, parts, len(fixed), env, below)
        outs, _ = evaluate(body, consts, parts, ids, below)
        return outs, [_everywhere(v, below) for _, v in below.kept]

    def test(state: Any) -> Any:
        jaxpr, own = opened(about["cond_jaxpr"])
        return jax.core.eval_jaxpr(jaxpr, own, *for_test, *state[0])[0]

    def step(state: Any) -> Any:
        carry, done, buffers = state
        outs, kept = turn(carry)
        written = [b.at[done].set(v, mode="drop") for b, v in zip(buffers, kept, strict=True)]
        return outs, done + 1, written

    shapes = jax.eval_shape(lambda *carry: turn(carry)[1], *first)
    start = (first, _everywhere(jnp.int32(0), below), [_zeros(s, below, (TURNS,)) for s in shapes])
    outs, done, buffers = lax.while_loop(test, step, start)
    env.kept.append((count, done))
    lift(env, below, buffers, ("turns", TURNS, False))
    env.note(eqn, (*env.scope.key, place, LAST), env.make(eqn, outs))


def _loop(count: Slot, eqn: Any, place: int, env: Environment) -> Environment:
    loop = len(env.scope.turns)
    scope = env.scope.inside(
        place,
        None,
        within=env.scope.named("while", "", place),
        where=where(eqn, env.scope.where),
        guards=(*env.scope.guards, Guard(count, -1, loop)),
        turns=(*env.scope.turns, TURNS),
    )
    return Environment(env.tape, scope)


KINDS = {"scan": _scan, "cond": _cond, "while": _while}
