"""A traced program, run again with every value as one more output.

One equation after the other is evaluated while the new program is traced; structures (calls,
``shard_map``, loops, branches) are built again around instrumented bodies. Every body gives its
results, and what was recorded in it: pairs of a slot and the array that holds the slot's values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
from jax.extend import core
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from labkit.engine.recording import control_flow
from labkit.engine.recording.collective import name
from labkit.engine.recording.environment import Environment, entered, inner, is_quiet, lift, opened
from labkit.engine.recording.estimate import CALLS, steps_of
from labkit.engine.recording.source_lines import of_library, where
from labkit.engine.recording.tape import LAST

_SAME = {"pvary", "pcast"}  # the same bytes; only JAX's types change
_SILENT = {"debug_callback", "debug_print"}


class CannotFollow(Exception):
    """An operation that a recording cannot do again."""


def evaluate(
    jaxpr: Any,
    consts: Sequence[Any],
    values: Sequence[Any],
    ids: Sequence[int | None],
    env: Environment,
) -> tuple[list[Any], list[int | None]]:
    """Evaluate a jaxpr equation by equation.

    Args:
        jaxpr: an open jaxpr.
        consts: what its constant variables stand for.
        values: what its arguments stand for.
        ids: of the arguments, None for literals.
        env: where to note it.

    Returns:
        The results and their ids, None for literals.
    """
    env.take(jaxpr.constvars, consts, [env.tape.new() for _ in consts])
    env.take(jaxpr.invars, values, ids)
    for place, eqn in enumerate(jaxpr.eqns):
        try:
            _step(eqn, place, env, jaxpr)
        except CannotFollow:
            raise
        except Exception as error:
            raise CannotFollow(_words(eqn, env, error)) from error
    return [env.value(v) for v in jaxpr.outvars], [env.id(v) for v in jaxpr.outvars]


def _words(eqn: Any, env: Environment, error: Exception) -> str:
    file, line, text, _ = where(eqn, env.scope.where)
    at = f" in {file}, line {line}: {text.strip()}" if line else ""
    return f"{name(eqn)}{at} ({type(error).__name__}: {str(error).splitlines()[0][:300]})"


def _step(eqn: Any, place: int, env: Environment, host: Any) -> None:
    """Evaluate one equation, in the way its kind needs."""
    kind = eqn.primitive.name
    if kind in CALLS:
        _call(eqn, place, env)
    elif kind == "shard_map":
        _shard_map(eqn, place, env)
    elif kind in control_flow.KINDS and steps_of(eqn) <= env.tape.follow:
        control_flow.KINDS[kind](eqn, place, env, evaluate)
    elif _is_literal(eqn, env):
        values = run_alone(eqn, env, host)  # of a literal it makes no more than a literal
        env.take(eqn.outvars, values, [None] * len(values))
    elif kind in _SAME:
        env.take(eqn.outvars, run_alone(eqn, env, host), [env.id(v) for v in eqn.invars])
        env.note(eqn, (*env.scope.key, place), [env.id(v) for v in eqn.invars])
    elif kind in _SILENT:
        env.note(eqn, (*env.scope.key, place), (), note="It ran in the plain call only.")
    else:
        ids = env.make(eqn, run_alone(eqn, env, host))
        env.note(eqn, (*env.scope.key, place), ids, note=_folded(eqn, env))


def _is_literal(eqn: Any, env: Environment) -> bool:
    """Whether a literal of the program is made fit for its place."""
    known = any(env.id(atom) is not None for atom in eqn.invars)
    return not known and (is_quiet(eqn) or eqn.primitive.name == "convert_element_type")


def _folded(eqn: Any, env: Environment) -> str:
    if eqn.primitive.name not in control_flow.KINDS:
        return ""
    words = f"This {eqn.primitive.name} has {steps_of(eqn)} steps, too many: it is shown as one."
    env.tape.notes.append(words)
    return words


def run_alone(eqn: Any, env: Environment, host: Any) -> list[Any]:
    """Run one equation as it is, with the context it was traced in."""
    invars = list(dict.fromkeys(v for v in eqn.invars if not isinstance(v, core.Literal)))
    about = host.debug_info.with_unknown_names()
    alone = core.Jaxpr([], invars, eqn.outvars, [eqn], eqn.effects, about)
    return jax.core.eval_jaxpr(alone, [], *(env.value(v) for v in invars))


def _call(eqn: Any, place: int, env: Environment) -> None:
    """A nested call: its operations take its place, its values are the caller's."""
    body, consts = opened(inner(eqn)[0])
    label = body.debug_info.func_name or eqn.params.get("name", "")
    library = of_library(body)
    scope = env.scope.inside(
        place,
        within=env.scope.named(CALLS[eqn.primitive.name], eqn.params.get("name", label), place),
        where=where(eqn, env.scope.where) if not env.scope.library else env.scope.where,
        library=env.scope.library or (library and len(body.eqns) > 1),
    )
    below = replace(env, scope=scope, held={})
    values = _constrained([env.value(v) for v in eqn.invars], eqn.params.get("in_shardings"))
    outs, out_ids = evaluate(body, consts, values, [env.id(v) for v in eqn.invars], below)
    outs = _constrained(outs, eqn.params.get("out_shardings"))
    env.take(eqn.outvars, outs, out_ids)
    if scope.library and not env.scope.library:
        name = eqn.params.get("name", label).strip("_")
        env.note(eqn, (*env.scope.key, place, LAST), out_ids, op=name, quiet=False)


def _constrained(values: Sequence[Any], shardings: Sequence[Any] | None) -> list[Any]:
    """Values with the shardings a call asks for, which its operations alone do not say."""
    asked = shardings or [None] * len(values)
    return [
        jax.lax.with_sharding_constraint(v, s) if _asks(v, s) else v
        for v, s in zip(values, asked, strict=True)
    ]


def _asks(value: Any, sharding: Any) -> bool:
    if not isinstance(sharding, NamedSharding) or not isinstance(value, jax.Array):
        return False
    return all(kind == jax.sharding.AxisType.Auto for kind in sharding.mesh.axis_types)


def _shard_map(eqn: Any, place: int, env: Environment) -> None:
    """The body on every device; what it records gets the mesh's axes as leading dimensions."""
    about, mesh = eqn.params, eqn.params["mesh"]
    body, consts = opened(about["jaxpr"])
    axes = tuple(a for a in mesh.axis_names if a in about["newly_manual_axes"])
    placed = mesh if isinstance(mesh, Mesh) else env.scope.mesh or env.tape.mesh
    scope = env.scope.inside(
        place,
        mesh=placed,
        axes=(*env.scope.axes, *axes),
        typed=about["check_vma"],
        where=where(eqn, env.scope.where),
    )
    outer = [env.id(v) for v in eqn.invars]
    traced: list[Environment] = []

    def program(*parts: Any) -> Any:
        below = Environment(env.tape, scope)
        traced[:] = [below]
        outs, _ = evaluate(body, consts, parts, entered(body, parts, outer, below), below)
        ahead = [v.reshape((1,) * len(axes) + v.shape) for _, v in below.kept]
        return outs, ahead

    outs, kept = jax.shard_map(
        program,
        mesh=mesh,
        in_specs=tuple(about["in_specs"]),
        out_specs=(list(about["out_specs"]), P(*axes)),
        check_vma=about["check_vma"],
        axis_names=set(axes),
    )(*(env.value(v) for v in eqn.invars))
    lift(env, traced[0], kept, ("mesh", placed, axes))
    ids = env.make(eqn, outs)
    env.note(eqn, (*env.scope.key, place, LAST), ids, quiet=True)
