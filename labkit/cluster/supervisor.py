"""The supervisor: one small process between the notebook and everything the lab starts.

It starts the ipyparallel controller and the engines, tells how each of them ended, and takes
them all with it when the notebook's process goes away, however it goes. Where it can fork
(Linux) it imports ipyparallel and jax once and forks: imports are paid once and their memory
is shared. Otherwise, or when told to, it starts plain Python processes. Same commands, same
events: one JSON object a line, commands on stdin and events on stdout.

    {"do": "spawn", "name": ..., "module": "labkit.engine.serve", "spec": {...}, "log": "1.log"}
    {"do": "warm", "module": "labkit.engine.serve"}    {"do": "signal", "name": ..., "signal": 12}
    {"do": "kill"}
    {"event": "started", "name": ..., "pid": ...}    {"event": "ended", "name": ..., "status": -9}
    {"event": "quiet"}                               (every child has been killed)

The supervisor has one thread and never touches a JAX backend, so forking it is safe.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from labkit.cluster import parent_death, pidfile

_PARENT_CHECK_SECONDS = 1.0


class Supervisor:
    """Children by name, and the loop that serves the notebook's commands."""

    def __init__(self, forks: bool, folder: str) -> None:
        self.forks, self.folder = forks, folder
        self.parent = os.getppid()
        self.pids: dict[str, int] = {}
        self.wake, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Obey commands until stdin closes or the parent is gone; then end every child."""
        pending = b""
        while os.getppid() == self.parent:
            ready, _, _ = select.select([0, self.wake], [], [], _PARENT_CHECK_SECONDS)
            self.reap()
            if 0 in ready:
                chunk = os.read(0, 65536)
                if not chunk:
                    break
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    self.obey(json.loads(line))
        self.kill()

    def obey(self, command: dict[str, Any]) -> None:
        """Carry out one command."""
        if command["do"] == "spawn":
            self.spawn(command)
        elif command["do"] == "signal":
            self.signal(command["name"], command["signal"])
        elif command["do"] == "kill":
            self.kill()
            _tell(event="quiet")
        elif command["do"] == "warm" and self.forks:
            _import(command["module"])

    def spawn(self, command: dict[str, Any]) -> None:
        """Start one child, forked or plain, and tell its pid."""
        pid = _fork(command) if self.forks else _plain(command)
        self.pids[command["name"]] = pid
        pidfile.write(self.folder, list(self.pids.values()))
        _tell(event="started", name=command["name"], pid=pid)

    def signal(self, name: str, number: int) -> None:
        """Send a signal to one child, if it is still there."""
        if name in self.pids:
            os.kill(self.pids[name], number)

    def kill(self) -> None:
        """End every child for good, with the process group it leads, and wait for it."""
        for pid in self.pids.values():
            _kill_group(pid)
        for name, pid in list(self.pids.items()):
            self.ended(name, os.waitpid(pid, 0)[1])

    def reap(self) -> None:
        """Tell which children have ended since the last look."""
        if select.select([self.wake], [], [], 0)[0]:
            os.read(self.wake, 4096)
        for name, pid in list(self.pids.items()):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                _kill_group(pid)  # what it had started
                self.ended(name, status)

    def ended(self, name: str, status: int) -> None:
        """Forget a child and tell its exit status, negative for a signal."""
        del self.pids[name]
        pidfile.write(self.folder, list(self.pids.values()))
        _tell(event="ended", name=name, status=os.waitstatus_to_exitcode(status))


def _kill_group(pid: int) -> None:
    # The child leads its own group: what it started itself goes with it.
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _tell(**event: Any) -> None:
    # A broken pipe: the notebook is gone, and serve() is about to see it too.
    with contextlib.suppress(BrokenPipeError):
        os.write(1, json.dumps(event).encode() + b"\n")


def _fork(command: dict[str, Any]) -> int:
    run = _import(command["module"])
    command["supervisor"] = os.getpid()
    pid = os.fork()
    if pid == 0:
        _child(command, run)
    return pid


def _child(command: dict[str, Any], run: Callable[[dict[str, Any]], None]) -> None:
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _settle(command)
        run(command["spec"])
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)  # never back into the supervisor's loop


def _settle(command: dict[str, Any]) -> None:
    """A group of its own, the parent-death signal, a log in place of the supervisor's pipes."""
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    parent_death.hold(command["supervisor"])
    log = os.open(command["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)


def _plain(command: dict[str, Any]) -> int:
    command["supervisor"] = os.getpid()
    argv = [sys.executable, "-m", "labkit.cluster.supervisor", "child", json.dumps(command)]
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True)
    child.returncode = 0  # the supervisor itself waits for it
    return child.pid


def _import(module: str) -> Callable[[dict[str, Any]], None]:
    return importlib.import_module(module).run


def main() -> None:
    """``python -m labkit.cluster.supervisor fork|plain FOLDER``, or ``child`` for a plain child."""
    if sys.argv[1] == "child":
        command = json.loads(sys.argv[2])
        _settle(command)
        _import(command["module"])(command["spec"])
    else:
        Supervisor(sys.argv[1] == "fork", sys.argv[2]).serve()
        shutil.rmtree(sys.argv[2], ignore_errors=True)  # the notebook may be gone
        os._exit(0)  # nothing to save, and tearing down an imported jax takes half a second


if __name__ == "__main__":
    main()
