"""The pre-flight: does this machine run the lab, and is every number right?"""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

import labkit
from labkit.cli import experiments
from labkit.cluster import memory
from labkit.errors import LabError

ENOUGH_MB = 600
"""Memory that JupyterLab, one open lesson and a lab of four processes stay under."""


def main(say: Callable[[str], None] = print) -> int:
    """Check the machine, run both experiments, and print what they show.

    Returns:
        0 only if every value on every device is the one that it must be.
    """
    say(f"labkit {labkit.__version__} on {system()}\n")
    for line in versions():
        say(f"  {line}")
    wrong = []
    for check in (system_trouble, version_trouble, memory_trouble, port_trouble):
        wrong += check()
    for words in wrong:
        say(f"\nTROUBLE: {words}")
    wrong += [] if platform.system() == "Windows" else examine(say)
    say(verdict(wrong))
    return 1 if wrong else 0


def verdict(wrong: list[str]) -> str:
    """The last lines: all is well, or everything that is not."""
    if not wrong:
        return "\nEvery value is right. This machine is ready."
    return "\nThis machine is not ready:\n" + "\n".join(f"- {words}" for words in wrong)


def system() -> str:
    """This machine, in a few words."""
    kind = f"{platform.system()} {platform.release()}, {platform.machine()}"
    return f"{kind}, {os.cpu_count()} cores, {memory.free_mb()} MB of memory free"


def versions() -> Iterator[str]:
    """One line for Python and one for each package labkit stands on."""
    yield f"Python {platform.python_version()}"
    for need in needs():
        yield f"{need.name} {installed(need.name) or 'is missing'}"


def needs() -> list[Requirement]:
    """The packages that labkit declares, without those of its extras."""
    declared = [Requirement(line) for line in requires("labkit") or ()]
    return [need for need in declared if need.marker is None or need.marker.evaluate({"extra": ""})]


def installed(name: str) -> str:
    """The version of a package, empty when it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def system_trouble() -> list[str]:
    """Where JAX's processes cannot talk to each other."""
    if platform.system() == "Windows":
        return ["Windows itself has no gloo, which JAX's processes talk through: use WSL2."]
    return []


def version_trouble() -> list[str]:
    """Packages that are missing or outside the range labkit is tested with."""
    return [
        f"{need.name} {found or 'is missing'}: labkit needs {need}. Run `make lab` again, or "
        f'`pip install "{need}"`.'
        for need in needs()
        if not need.specifier.contains(found := installed(need.name), prereleases=True)
    ]


def memory_trouble() -> list[str]:
    """Too little memory for a lesson."""
    free = memory.free_mb()
    if free >= ENOUGH_MB:
        return []
    return [
        f"{free} MB of memory are free; JupyterLab with a lab needs {ENOUGH_MB} MB. "
        "Close other programs, or take a machine with more."
    ]


def port_trouble() -> list[str]:
    """A machine that does not let its own programs talk to each other."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(5)
            with socket.create_connection(server.getsockname(), timeout=5):
                server.accept()[0].close()
    except OSError as error:
        return [
            f"Programs here cannot reach each other on 127.0.0.1 ({error}). "
            "Look for a firewall or a VPN that blocks loopback."
        ]
    return []


def examine(say: Callable[[str], None]) -> list[str]:
    """Run both experiments in one lab; what is wrong, in sentences."""
    psum, replicas = experiments.psum(), experiments.replicas()
    try:
        began = time.perf_counter()
        with labkit.start(processes=psum.processes, devices=psum.devices) as lab:
            say(f"\nThe lab started in {time.perf_counter() - began:.1f} s.")
            wrong = perform(lab, psum, say)
            lab.reset(processes=replicas.processes, devices=replicas.devices)
            return wrong + perform(lab, replicas, say)
    except LabError as error:
        return [f"The lab says {type(error).__name__}: {error}{mac_hint()}"]


def mac_hint() -> str:
    """What to suspect on a Mac."""
    if platform.system() != "Darwin":
        return ""
    return "\n  On macOS JAX's gloo does not always start: see jax-ml/jax#28160, or use Linux."


def perform(lab: labkit.Lab, experiment: experiments.Experiment, say) -> list[str]:
    """Run one experiment, print its pictures as text, and compare every value."""
    say(f"\n{experiment.title}\n")
    results = lab.run(experiment.program)
    if not results.trusted:
        return [f"{experiment.title}: the result is not to be trusted: {results.why}"]
    say(lab.show(*experiment.expected).text)
    return [
        words
        for name, expected in experiment.expected.items()
        for words in experiments.differences(name, expected, lab.values(name))
    ]
