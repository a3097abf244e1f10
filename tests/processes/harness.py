"""Plain Python processes in one ``jax.distributed`` group: what a lab is compared with.

Nothing of labkit here. ``run(function)`` starts the processes, lets each join the group and
call the function, and gives back what each returned. Whatever happens, none is left behind:
the parent kills what it started, and each process carries an alarm of its own.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from labkit.cluster.ports import free_port

ROOT = Path(__file__).parents[2]
PLAIN = {"builtins", "numpy", "ml_dtypes"}


class GroupError(Exception):
    """A process raised, died or did not answer in time."""


def run(
    function: Callable[..., Any],
    *arguments: Any,
    processes: int = 2,
    devices: int | list[int] = 4,
    timeout: float = 60,
) -> list[Any]:
    """What ``function(*arguments)`` returned in each process, in order of process index.

    Args:
        function: of a module that can be imported; what it returns must be plain data.
        arguments: JSON values.
        processes: how many.
        devices: CPU devices of each, or one number for each.
        timeout: seconds, for all of it.
    """
    spec = {
        "module": function.__module__,
        "function": function.__qualname__,
        "arguments": arguments,
        "processes": processes,
        "devices": devices,
        "timeout": timeout,
        "address": f"127.0.0.1:{free_port()}",
    }
    with tempfile.TemporaryDirectory() as folder:
        started = [_start(spec, index, Path(folder)) for index in range(processes)]
        try:
            return _results(started, Path(folder), time.monotonic() + timeout)
        finally:
            for child in started:
                child.kill()
                child.wait()


def _start(spec: dict[str, Any], index: int, folder: Path) -> subprocess.Popen[bytes]:
    # XLA_FLAGS could ask for another number of devices than the test does.
    inherited = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, "-m", __name__, json.dumps(spec), str(index), str(folder)]
    with (folder / f"{index}.log").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=inherited | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _results(started: list[subprocess.Popen[bytes]], folder: Path, deadline: float) -> list[Any]:
    results: dict[int, Any] = {}
    while len(results) < len(started):
        for index, child in enumerate(started):
            ended = child.poll() is not None  # asked before the file: what it wrote is there
            answer = folder / f"{index}.answer"
            if index not in results and answer.exists():
                results[index] = _read(answer, index)
            elif index not in results and ended:
                raise GroupError(_told(folder, f"process {index} ended with {child.returncode}"))
        if time.monotonic() > deadline:
            missing = sorted(set(range(len(started))) - set(results))
            raise GroupError(_told(folder, f"no answer in time from processes {missing}"))
        time.sleep(0.005)
    return [results[index] for index in range(len(started))]


def _read(answer: Path, index: int) -> Any:
    with answer.open("rb") as file:
        result, error = _PlainUnpickler(file).load()
    if error:
        raise GroupError(f"process {index} raised:\n{error}")
    return result


class _PlainUnpickler(pickle.Unpickler):
    """Reads numpy and builtins, and nothing that would need JAX."""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] not in PLAIN:
            raise GroupError(f"an answer holds {module}.{name}, which is not plain data")
        return super().find_class(module, name)


def _told(folder: Path, why: str) -> str:
    logs = (f"--- {log.stem}\n{log.read_text()[-3000:]}" for log in sorted(folder.glob("*.log")))
    return "\n".join((why, *logs))


def _child(spec: dict[str, Any], index: int, folder: Path) -> None:
    signal.alarm(int(spec["timeout"]) + 5)  # ends this process even if its parent is gone
    try:
        _join(spec, index)
        function = getattr(importlib.import_module(spec["module"]), spec["function"])
        answer = (function(*spec["arguments"]), "")
    except BaseException:
        answer = (None, traceback.format_exc())
    unfinished = folder / f"{index}.unfinished"
    unfinished.write_bytes(pickle.dumps(answer))
    unfinished.rename(folder / f"{index}.answer")
    signal.pause()  # leaving before the others would end their group; the parent ends us all


def _join(spec: dict[str, Any], index: int) -> None:
    import jax

    devices = spec["devices"]
    devices = devices[index] if isinstance(devices, list) else devices
    jax.config.update("jax_num_cpu_devices", devices)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    if index > 0:
        _wait_for(spec["address"])
    jax.distributed.initialize(
        coordinator_address=spec["address"],
        num_processes=spec["processes"],
        process_id=index,
        coordinator_bind_address=spec["address"] if index == 0 else None,
        initialization_timeout=int(spec["timeout"]),
    )


def _wait_for(address: str) -> None:
    # Who dials before the coordinator listens waits a whole second before the next try.
    host, port = address.rsplit(":", 1)
    while True:
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.005)


if __name__ == "__main__":
    _child(json.loads(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
