"""The notebook's side of the supervisor: start children, hear how they ended, end them all."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from labkit.errors import StartError

_STOP_SECONDS = 5.0
_IMPORT_SECONDS = 60.0  # the supervisor obeys one command after another, and jax may be on its way


def can_fork() -> bool:
    """Whether forking a warm process is safe here: Linux only."""
    return sys.platform == "linux"


class SupervisorClient:
    """A running supervisor and its children.

    Attributes:
        pids: name → pid of every child that lives.
        ended: name → exit status (negative: a signal) of every child that has ended.
    """

    def __init__(self, mode: str, environment: Mapping[str, str], folder: str) -> None:
        """Start it.

        Args:
            mode: ``"fork"`` or ``"plain"``.
            environment: what to add to the environment of the supervisor and its children.
            folder: holds the log of what the supervisor itself writes; it removes it at its end.
        """
        self.mode = mode
        self.pids: dict[str, int] = {}
        self.ended: dict[str, int] = {}
        self._changed = threading.Condition()
        self._quiet = True  # no child lives
        with open(os.path.join(folder, "supervisor.log"), "ab") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "labkit.cluster.supervisor", mode, folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, **environment},
                start_new_session=True,  # Ctrl-C in a terminal is for the learner's script alone
            )
        self._reader = threading.Thread(target=self._listen, name="labkit-supervisor", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The supervisor's own pid."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still serves."""
        return self._process.poll() is None

    def spawn(self, name: str, module: str, spec: Mapping[str, Any], log: str) -> None:
        """Ask for one child; :attr:`pids` has it as soon as it runs.

        Args:
            name: what it is called in events.
            module: the module whose ``run(spec)`` it runs.
            spec: what ``run`` is given, JSON.
            log: file for its stdout and stderr.
        """
        self.ended.pop(name, None)
        self._say({"do": "spawn", "name": name, "module": module, "spec": dict(spec), "log": log})

    def warm(self, module: str) -> None:
        """Import a module ahead of the first child that needs it."""
        self._say({"do": "warm", "module": module})

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a child; nothing happens if it has ended."""
        self._say({"do": "signal", "name": name, "signal": int(number)})

    def kill_all(self) -> None:
        """End every child now and wait until it has ended; forget how they ended."""
        self._quiet = False
        self._say({"do": "kill"})
        with self._changed:
            self._changed.wait_for(lambda: self._quiet, _IMPORT_SECONDS)
            self.ended.clear()

    def stop(self) -> None:
        """End every child and the supervisor; nothing is left when this returns."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._force()
        self._reader.join(_STOP_SECONDS)
        self._process.stdout.close()

    def _force(self) -> None:
        # Without their supervisor the children end by the parent-death signal.
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _say(self, command: Mapping[str, Any]) -> None:
        try:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise StartError("The lab's supervisor process is gone; start a new lab.") from None

    def _listen(self) -> None:
        for line in self._process.stdout:
            self._hear(json.loads(line))
        with self._changed:  # the supervisor is gone, and its children with it
            self.ended.update(dict.fromkeys(self.pids, -int(signal.SIGKILL)))
            self.pids.clear()
            self._quiet = True
            self._changed.notify_all()

    def _hear(self, event: Mapping[str, Any]) -> None:
        with self._changed:
            if event["event"] == "quiet":
                self._quiet = True
            elif event["event"] == "started":
                self.pids[event["name"]] = event["pid"]
            else:
                self.pids.pop(event["name"], None)
                self.ended[event["name"]] = event["status"]
            self._changed.notify_all()


def how_it_ended(status: int) -> str:
    """An exit status in words: ``"killed by SIGKILL"``, ``"exit status 3"``."""
    if status >= 0:
        return f"exit status {status}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-status).name}"
    return f"killed by signal {-status}"
