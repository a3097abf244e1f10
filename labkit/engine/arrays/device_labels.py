"""Labels of devices: process and position, never JAX's raw ids."""

from __future__ import annotations

import functools

import jax

from labkit.facts import labels


def places(platform: str | None = None) -> dict[jax.Device, tuple[int, int]]:
    """Every device → (its process, its position among that process's devices)."""
    return _places(tuple(jax.devices(platform)))


def label(device: jax.Device) -> str:
    """``"p1·d0"``; a device of another backend than the default one has its own word.

    On a machine with GPUs the host's CPU device is ``"p1·cpu0"``.
    """
    word = "d" if device.platform == jax.default_backend() else device.platform
    process, index = places(device.platform)[device]
    return labels.label_at(process, f"{word}{index}")


def forget() -> None:
    """Let go of the devices: a cache that holds one holds its whole group, threads and all."""
    _places.cache_clear()


def host_label() -> str:
    """``"p1·host"``: this process's own memory."""
    return labels.host_label(jax.process_index())


# Keyed by the devices themselves: a group that is joined anew has new ones.
@functools.lru_cache(maxsize=4)
def _places(devices: tuple[jax.Device, ...]) -> dict[jax.Device, tuple[int, int]]:
    count: dict[int, int] = {}
    found = {}
    for device in sorted(devices, key=lambda d: (d.process_index, d.id)):
        owner = device.process_index
        found[device] = (owner, count.setdefault(owner, 0))
        count[owner] += 1
    return found
