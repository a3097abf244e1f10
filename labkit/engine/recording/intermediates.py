"""What an instrumented run brought, told as plain data: values on this process's devices, steps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from labkit.engine.arrays.describe import spec_of
from labkit.engine.arrays.device_labels import host_label, label
from labkit.engine.arrays.shard_content import Budget, content, readable
from labkit.engine.recording.tape import Entry, Guard, Slot, Tape

PREVIEW_BYTES = 2048
_ALL_PREVIEWS = 24 * 2**20
_DIGESTS = 2**30

Key = tuple[int, ...]
"""A value's id, and the turn of each loop it stands in."""


@dataclass
class Intermediates:
    """Reads what a run brought.

    Attributes:
        tape: what was noted.
        values: key → record of a value here.
        held: slot id → turns → device label → its elements.
        meshes: the meshes met, told once.
    """

    tape: Tape
    values: dict[Key, dict[str, Any]] = field(default_factory=dict)
    held: dict[int, dict[Key, dict[str, np.ndarray]]] = field(default_factory=dict)
    slots: dict[int, Slot] = field(default_factory=dict)
    meshes: list[Any] = field(default_factory=list)
    places: dict[int, dict[jax.Device, tuple[int, ...]]] = field(default_factory=dict)

    def read(self, kept: Sequence[tuple[Slot, Any]]) -> None:
        """Take every value out of the arrays that hold it."""
        for slot, array in kept:
            self.slots[slot.id], self.held[slot.id] = slot, dict(self._parts(slot, array))
        pieces = sum(len(devices) for t in self.held.values() for devices in t.values())
        preview = max(128, min(PREVIEW_BYTES, _ALL_PREVIEWS // max(1, pieces)))
        budget = Budget(_DIGESTS)
        for slot, array in kept:
            about = self._about(slot, array)
            for turns, devices in self.held[slot.id].items():
                self.values[slot.id, *turns] = about | _told(devices, slot, preview, budget)

    def _about(self, slot: Slot, array: Any) -> dict[str, Any]:
        own = not any(lift[0] == "mesh" for lift in slot.lifts)
        sharding = getattr(array, "sharding", None)
        named = own and isinstance(sharding, jax.sharding.NamedSharding)
        mesh = next((lift[1] for lift in slot.lifts if lift[0] == "mesh"), None)
        mesh = sharding.mesh if named else mesh
        skip = len(slot.turns)
        return {
            "shape": slot.shape,
            "dtype": slot.dtype,
            "spec": spec_of(sharding.spec)[skip:] if named else None,
            "mesh": self.mesh(mesh),
            "index": _indices(slot, array, skip) if own else {},
        }

    def mesh(self, mesh: Any) -> int | None:
        """The number of a mesh among those told."""
        if mesh is None:
            return None
        if mesh not in self.meshes:
            self.meshes.append(mesh)
            places = np.ndindex(mesh.devices.shape)
            self.places[len(self.meshes) - 1] = {mesh.devices[place]: place for place in places}
        return self.meshes.index(mesh)

    def _parts(self, slot: Slot, array: Any) -> Iterator[tuple[Key, dict[str, np.ndarray]]]:
        """Turns → device → elements."""
        if isinstance(array, np.ndarray):
            yield (), {host_label(): array}
            return
        shards = [(s.device, self._own(slot, s)) for s in array.addressable_shards]
        for turns in itertools.product(*(range(count) for count, _ in slot.turns)):
            at = tuple(n - 1 - t if back else t for t, (n, back) in zip(turns, slot.turns))  # noqa: B905
            held = {label(device): data[at] for device, data in shards if data is not None}
            yield turns, {d: v for d, v in held.items() if self.ran(d, slot.guards, turns)}

    def _own(self, slot: Slot, shard: Any) -> np.ndarray | None:
        """A device's own part, with the turns in front; None where others have some of it."""
        data, index = np.asarray(readable(shard.data)), []
        bounds = [part.start or 0 for part in shard.index]
        for lift in slot.lifts:
            at = self._place(lift, shard.device)
            index += [n if isinstance(n, slice) else n - bounds[len(index) + i] for i, n in at]
        sizes = zip(index, data.shape, strict=False)
        whole = all(size == n.stop if isinstance(n, slice) else 0 <= n < size for n, size in sizes)
        return data[tuple(index)] if whole else None

    def _place(self, lift: tuple[Any, ...], device: jax.Device) -> list[tuple[int, Any]]:
        """What to take of the dimensions that a structure has put in front, for one device."""
        if lift[0] == "turns":
            return [(0, slice(0, lift[1]))]
        place = self.places[self.mesh(lift[1])].get(device)
        names = lift[1].axis_names
        return [(i, place[names.index(a)] if place else -1) for i, a in enumerate(lift[2])]

    def ran(self, device: str, guards: Sequence[Guard], turns: Key) -> bool:
        """Whether what these guards guard ran on a device in a turn."""
        return all(self._passes(device, guard, turns) for guard in guards)

    def _passes(self, device: str, guard: Guard, turns: Key) -> bool:
        held = self.held.get(guard.slot.id, {}).get(turns[: len(guard.slot.turns)], {})
        if device not in held:
            return False
        found = int(held[device])
        return found == guard.branch if guard.branch >= 0 else turns[guard.loop] < found

    def steps(self, entries: Sequence[Entry]) -> list[dict[str, Any]]:
        """Every entry once for each turn of the loops it stands in."""
        return [step for entry in sorted(entries, key=_order) for step in self._turns(entry)]

    def beyond(self, entries: Sequence[Entry]) -> list[str]:
        """Of loops that made more turns than there was room for, that they did."""
        loops = {(g.slot.id, e.turns[g.loop]) for e in entries for g in e.guards if g.branch < 0}
        cut = {shown for slot, shown in loops if self._most(slot) > shown}
        return [f"A loop made more than {n} turns: the first {n} are shown." for n in sorted(cut)]

    def _most(self, slot: int) -> int:
        found = (
            count for devices in self.held.get(slot, {}).values() for count in devices.values()
        )
        return max(map(int, found), default=0)

    def _turns(self, entry: Entry) -> Iterator[dict[str, Any]]:
        mesh = self.mesh(entry.mesh)
        here = [label(d) for d in self.places[mesh] if _mine(d)] if mesh is not None else []
        here = here or [label(d) for d in jax.local_devices()]
        for turns in itertools.product(*(range(count) for count in entry.turns)):
            ran = [device for device in here if self.ran(device, entry.guards, turns)]
            loops = any(guard.branch < 0 for guard in entry.guards)
            if ran or not loops:
                yield self._step(entry, turns, [d for d in here if d not in ran]) | {"mesh": mesh}

    def _step(self, entry: Entry, turns: Key, skipped: list[str]) -> dict[str, Any]:
        left = iter(turns)
        return {
            "key": tuple(next(left) if part is None else part for part in entry.key),
            "op": entry.op,
            "source": entry.where,
            "reads": self.keys(entry.reads, turns),
            "gives": self.keys(entry.gives, turns),
            "collective": entry.collective,
            "within": entry.within,
            "quiet": entry.quiet,
            "skipped": tuple(skipped),
            "note": entry.note,
            "backward": entry.backward,
        }

    def keys(self, ids: Sequence[int], turns: Key = ()) -> tuple[Key, ...]:
        """Which of the told values these are, in a turn; those not brought are left out."""
        found = (self.slots[id] for id in ids if id in self.slots)
        return tuple((slot.id, *turns[: len(slot.turns)]) for slot in found)


def _order(entry: Entry) -> Key:
    return tuple(0 if part is None else part for part in entry.key)


def _mine(device: Any) -> bool:
    return device.process_index == jax.process_index()


def _indices(slot: Slot, array: Any, skip: int) -> dict[str, Any]:
    if isinstance(array, np.ndarray):
        return {host_label(): tuple((0, size) for size in array.shape)}
    shape = array.shape[skip:]
    return {
        label(s.device): tuple(
            part.indices(size)[:2] for part, size in zip(s.index[skip:], shape, strict=False)
        )
        for s in array.addressable_shards
    }


def _told(
    devices: Mapping[str, np.ndarray], slot: Slot, preview: int, budget: Budget
) -> dict[str, Any]:
    told = {device: content(np.asarray(v), preview, budget) for device, v in devices.items()}
    return {
        "held": {d: one["value"] for d, one in told.items() if one["value"] is not None},
        "digests": {d: "" if slot.cut else one["digest"] for d, one in told.items()},
        "complete": not slot.cut and all(one["complete"] for one in told.values()),
    }
