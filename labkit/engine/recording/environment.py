"""What the variables of a jaxpr stand for while it is evaluated anew, and what is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
from jax.extend import core
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from labkit.engine.recording.collective import collective, name
from labkit.engine.recording.source_lines import where
from labkit.engine.recording.tape import Entry, Scope, Slot, Tape

_CALLS = ("jaxpr", "call_jaxpr", "fun_jaxpr", "body_jaxpr")
_NO_NUMBER = {"pvary", "pcast", "stop_gradient", "sharding_constraint", "reshard", "copy"}


@dataclass
class Environment:
    """That of one jaxpr: of the program itself, or of the body of a structure in it.

    Attributes:
        tape, scope: what is noted, and where we are.
        held: variable → (its value, the id of it; None for what is as good as a literal).
        kept: slot and array of everything recorded so far.
        entries: the operations so far.
    """

    tape: Tape
    scope: Scope
    held: dict[Any, tuple[Any, int | None]] = field(default_factory=dict)
    kept: list[tuple[Slot, Any]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    def value(self, atom: Any) -> Any:
        """What a variable or literal stands for."""
        return atom.val if isinstance(atom, core.Literal) else self.held[atom][0]

    def id(self, atom: Any) -> int | None:
        """The id of a variable, None for a literal."""
        return None if isinstance(atom, core.Literal) else self.held[atom][1]

    def take(
        self, variables: Sequence[Any], values: Sequence[Any], ids: Sequence[int | None]
    ) -> None:
        """Give variables their values."""
        self.held.update(zip(variables, zip(values, ids, strict=True), strict=True))

    def keep(self, value: Any, id: int) -> None:
        """Record a value."""
        aval = jax.typeof(value)
        if aval.dtype == jax.dtypes.float0:
            return
        slot = Slot(id, tuple(aval.shape), str(aval.dtype), guards=self.scope.guards)
        self.kept.append((slot, _bounded(value, slot, self.tape.bring)))

    def make(self, eqn: Any, values: Sequence[Any]) -> tuple[int, ...]:
        """Give the results of an equation, as new values, and record them."""
        ids = tuple(self.tape.new() for _ in values)
        self.take(eqn.outvars, values, ids)
        for variable, value, id in zip(eqn.outvars, values, ids, strict=True):
            if not isinstance(variable, core.DropVar if hasattr(core, "DropVar") else ()):
                self.keep(value, id)
        return ids

    def note(
        self, eqn: Any, key: tuple[int | None, ...], gives: Sequence[int | None], **more: Any
    ) -> None:
        """Note an operation."""
        line, scope = where(eqn, self.scope.where), self.scope
        line = scope.where if scope.library else line
        about = {"op": name(eqn), "collective": collective(eqn, scope.mesh, line)} | more
        about["backward"] = "transpose(" in str(eqn.source_info.name_stack)
        about["quiet"] = about.get("quiet", is_quiet(eqn)) or scope.library
        place = {key: getattr(scope, key) for key in ("within", "mesh", "guards", "turns")}
        read = _known(dict.fromkeys(self.id(atom) for atom in eqn.invars))
        self.entries.append(
            Entry(key, where=line, reads=read, gives=_known(gives), **place, **about)
        )


def _known(ids: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(id for id in ids if id is not None)


def is_quiet(eqn: Any) -> bool:
    """Whether it changes no number: it only says where values live, or converts a literal."""
    kind = eqn.primitive.name
    literal = all(isinstance(atom, core.Literal) for atom in eqn.invars)
    return kind in _NO_NUMBER or (kind == "convert_element_type" and literal)


def opened(closed: Any) -> tuple[Any, list[Any]]:
    """A jaxpr and its constants; JAX 0.12 has one class for both, 0.10 two."""
    if hasattr(closed, "jaxpr") and hasattr(closed, "consts"):
        return closed.jaxpr, list(closed.consts)
    return closed, []


def inner(eqn: Any) -> list[Any]:
    """The jaxprs of a structure's bodies."""
    found = (eqn.params.get(key) for key in _CALLS)
    return [one for one in found if one is not None] or list(eqn.params.get("branches", ()))


def entered(
    body: Any,
    values: Sequence[Any],
    outer: Sequence[int | None],
    below: Environment,
    before: int = 0,
) -> list[int]:
    """Ids for the arguments of a body, which are new values; they are recorded.

    A parameter is called by its own name, which is the learner's.

    Args:
        body: the body's jaxpr.
        values: its arguments, from number ``before`` on.
        outer: ids of the values they are made from.
        below: where they are recorded.
        before: how many arguments come before them.
    """
    ids = [below.tape.new() for _ in values]
    below.tape.made_from.update(zip(ids, outer, strict=True))
    for id, own in zip(ids, (body.debug_info.arg_names or ())[before:], strict=False):
        if own and own.isidentifier():
            below.tape.names[id] = own
    for id, value in zip(ids, values, strict=True):
        below.keep(value, id)
    return ids


def lift(env: Environment, below: Environment, arrays: Sequence[Any], how: tuple[Any, ...]) -> None:
    """Take over what a structure's body recorded, with what its structure put in front."""
    for (slot, _), array in zip(below.kept, arrays, strict=True):
        slot.lifts.insert(0, how)
        env.kept.append((slot, array))
    env.entries += below.entries


def _bounded(value: Any, slot: Slot, limit: int) -> Any:
    """The value, or its leading block where all of it is too big; keys as their data."""
    if jax.numpy.issubdtype(jax.typeof(value).dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    value = jax.numpy.asarray(value)
    if value.nbytes <= limit:
        return value
    slot.cut = True
    side = max(1, int((limit / value.dtype.itemsize) ** (1 / max(1, value.ndim))))
    return jax.lax.slice(value, (0,) * value.ndim, [min(side, n) for n in value.shape])


def placed(array: Any, slot: Slot, mesh: Any) -> Any:
    """The array, laid out so that each device has its own part of all turns.

    The compiler is free to cut what a loop stacks also along the turns.

    Args:
        array: what holds the values of a slot.
        slot: the slot.
        mesh: the program's; None where it has none.
    """
    own = next((lift[1] for lift in slot.lifts if lift[0] == "mesh"), mesh)
    if not slot.turns or own is None or not _is_auto(own):
        return array
    spec: list[Any] = []
    for lift in slot.lifts:
        spec += [None] if lift[0] == "turns" else lift[2]
    free = [P.UNCONSTRAINED] * (array.ndim - len(spec))
    return jax.lax.with_sharding_constraint(array, NamedSharding(own, P(*spec, *free)))


def _is_auto(mesh: Any) -> bool:
    return all(kind == jax.sharding.AxisType.Auto for kind in mesh.axis_types)
