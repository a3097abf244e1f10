"""A traced program, run again with every value as one more output.

One equation after the other is evaluated while the new program is traced; structures (calls,
``shard_map``, loops, branches) are built again around instrumented bodies. Every level gives its
results, and what it recorded: pairs of a slot and the array that holds the slot's values.
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
from labkit.engine.recording.environment import Level, entered, inner, is_quiet, lift, opened
from labkit.engine.recording.estimate import CALLS, steps_of
from labkit.engine.recording.exchange import name
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
    level: Level,
) -> tuple[list[Any], list[int | None]]:
    """Evaluate a jaxpr equation by equation.

    Args:
        jaxpr: an open jaxpr.
        consts: what its constant variables stand for.
        values: what its arguments stand for.
        ids: of the arguments, None for literals.
        level: where to note it.

    Returns:
        The results and their ids, None for literals.
    """
    level.take(jaxpr.constvars, consts, [level.tape.new() for _ in consts])
    level.take(jaxpr.invars, values, ids)
    for place, eqn in enumerate(jaxpr.eqns):
        try:
            _step(eqn, place, level, jaxpr)
        except CannotFollow:
            raise
        except Exception as error:
            raise CannotFollow(_words(eqn, level, error)) from error
    return [level.value(v) for v in jaxpr.outvars], [level.id(v) for v in jaxpr.outvars]


def _words(eqn: Any, level: Level, error: Exception) -> str:
    file, line, text, _ = where(eqn, level.scope.where)
    at = f" in {file}, line {line}: {text.strip()}" if line else ""
    return f"{name(eqn)}{at} ({type(error).__name__}: {str(error).splitlines()[0][:300]})"


def _step(eqn: Any, place: int, level: Level, host: Any) -> None:
    """Evaluate one equation, in the way its kind needs."""
    kind = eqn.primitive.name
    if kind in CALLS:
        _call(eqn, place, level)
    elif kind == "shard_map":
        _shard_map(eqn, place, level)
    elif kind in control_flow.KINDS and steps_of(eqn) <= level.tape.follow:
        control_flow.KINDS[kind](eqn, place, level, evaluate)
    elif _is_literal(eqn, level):
        values = run_alone(eqn, level, host)  # of a literal it makes no more than a literal
        level.take(eqn.outvars, values, [None] * len(values))
    elif kind in _SAME:
        level.take(eqn.outvars, run_alone(eqn, level, host), [level.id(v) for v in eqn.invars])
        level.note(eqn, (*level.scope.key, place), [level.id(v) for v in eqn.invars])
    elif kind in _SILENT:
        level.note(eqn, (*level.scope.key, place), (), note="It ran in the plain call only.")
    else:
        ids = level.make(eqn, run_alone(eqn, level, host))
        level.note(eqn, (*level.scope.key, place), ids, note=_folded(eqn, level))


def _is_literal(eqn: Any, level: Level) -> bool:
    """Whether a literal of the program is made fit for its place."""
    known = any(level.id(atom) is not None for atom in eqn.invars)
    return not known and (is_quiet(eqn) or eqn.primitive.name == "convert_element_type")


def _folded(eqn: Any, level: Level) -> str:
    if eqn.primitive.name not in control_flow.KINDS:
        return ""
    words = f"This {eqn.primitive.name} has {steps_of(eqn)} steps, too many: it is shown as one."
    level.tape.notes.append(words)
    return words


def run_alone(eqn: Any, level: Level, host: Any) -> list[Any]:
    """Run one equation as it is, with the context it was traced in."""
    invars = list(dict.fromkeys(v for v in eqn.invars if not isinstance(v, core.Literal)))
    about = host.debug_info.with_unknown_names()
    alone = core.Jaxpr([], invars, eqn.outvars, [eqn], eqn.effects, about)
    return jax.core.eval_jaxpr(alone, [], *(level.value(v) for v in invars))


def _call(eqn: Any, place: int, level: Level) -> None:
    """A nested call: its operations take its place, its values are the caller's."""
    body, consts = opened(inner(eqn)[0])
    label = body.debug_info.func_name or eqn.params.get("name", "")
    library = of_library(body)
    scope = level.scope.inside(
        place,
        within=level.scope.named(CALLS[eqn.primitive.name], eqn.params.get("name", label), place),
        where=where(eqn, level.scope.where) if not level.scope.library else level.scope.where,
        library=level.scope.library or (library and len(body.eqns) > 1),
    )
    below = replace(level, scope=scope, held={})
    values = _constrained([level.value(v) for v in eqn.invars], eqn.params.get("in_shardings"))
    outs, out_ids = evaluate(body, consts, values, [level.id(v) for v in eqn.invars], below)
    outs = _constrained(outs, eqn.params.get("out_shardings"))
    level.take(eqn.outvars, outs, out_ids)
    if scope.library and not level.scope.library:
        name = eqn.params.get("name", label).strip("_")
        level.note(eqn, (*level.scope.key, place, LAST), out_ids, op=name, quiet=False)


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


def _shard_map(eqn: Any, place: int, level: Level) -> None:
    """The body on every device; what it records gets the mesh's axes as leading dimensions."""
    about, mesh = eqn.params, eqn.params["mesh"]
    body, consts = opened(about["jaxpr"])
    axes = tuple(a for a in mesh.axis_names if a in about["newly_manual_axes"])
    placed = mesh if isinstance(mesh, Mesh) else level.scope.mesh or level.tape.mesh
    scope = level.scope.inside(
        place,
        mesh=placed,
        axes=(*level.scope.axes, *axes),
        typed=about["check_vma"],
        where=where(eqn, level.scope.where),
    )
    outer = [level.id(v) for v in eqn.invars]
    traced: list[Level] = []

    def program(*parts: Any) -> Any:
        below = Level(level.tape, scope)
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
    )(*(level.value(v) for v in eqn.invars))
    lift(level, traced[0], kept, ("mesh", placed, axes))
    ids = level.make(eqn, outs)
    level.note(eqn, (*level.scope.key, place, LAST), ids, quiet=True)
