"""Processes up and down: one supervisor, one ipyparallel controller, N engines, one client."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

from labkit.cluster import hub, pidfile, ports
from labkit.cluster.supervisor_client import SupervisorClient, how_it_ended
from labkit.errors import StartError
from labkit.facts import Help
from labkit.text import explain

if TYPE_CHECKING:
    import ipyparallel

_PATIENCE = 60.0
_POLL = 0.005
_ANSWER = 3.0  # seconds for a controller that has opened its ports
_CONTROLLER, _ENGINE = "labkit.cluster.controller", "labkit.engine.serve"  # named, not imported
# What they write when a port was taken between its choice and its use: JAX's coordinator, and
# the controller.
_PORT_TAKEN = {0: "Failed to add port to server", "controller": "Address already in use"}

_ENVIRONMENT = {
    # Otherwise JAX owns SIGTERM, and one dead process takes the others with it.
    "JAX_ENABLE_PREEMPTION_SERVICE": "0",
    "JAX_ENABLE_RECOVERABILITY": "1",
    "OPENBLAS_NUM_THREADS": "1",  # its threads would make forking unsafe
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "TF_CPP_MIN_LOG_LEVEL": "2",
}


def engine_name(index: int) -> str:
    """The supervisor's name for a process of the lab."""
    return f"process {index}"


class Cluster:
    """The processes of one lab.

    Attributes:
        processes: how many JAX processes.
        devices: how many CPU devices each has.
        client: the ipyparallel client, None while down.
        supervisor: starts and ends them, None before the first :meth:`start`.
        folder: private folder with logs and connection files; gone after :meth:`stop`.
    """

    def __init__(self, processes: int, devices: int, platform: str, mode: str) -> None:
        self.processes, self.devices, self.platform = processes, devices, platform
        self.mode = mode
        self.client: ipyparallel.Client | None = None
        self.folder = tempfile.mkdtemp(prefix=pidfile.PREFIX)
        self.supervisor: SupervisorClient | None = None
        self._profile = ""  # the controller's folder
        # A log goes on through all starts: how long each was before the last one.
        self._written_before: dict[str, int] = {}

    def _start_supervisor(self) -> SupervisorClient:
        jax_platform = {"gpu": "cuda"}.get(self.platform, self.platform)
        environment = {**_ENVIRONMENT, "JAX_PLATFORMS": jax_platform}
        return SupervisorClient(self.mode, environment, self.folder)

    def start(self, report: Callable[[str], None], tries: int = 4) -> None:
        """Bring everything up.

        Args:
            report: called with a short text at each stage.
            tries: how often, if a port was taken meanwhile.

        Raises:
            StartError: a process ended or did not come; what it wrote is in the message.
        """
        if self.supervisor is None or not self.supervisor.alive:
            self.supervisor = self._start_supervisor()
        report("starting processes")
        try:
            self._launch()
            self._connect(report)
        except StartError:
            if tries == 1 or not any(map(self._port_taken, _PORT_TAKEN)):
                raise
            report("the port was taken meanwhile: trying another")
            self.down()
            self.start(report, tries - 1)

    def _port_taken(self, name: int | str) -> bool:
        return _PORT_TAKEN[name] in self._last_words(name)

    def _launch(self) -> None:
        self._profile = tempfile.mkdtemp(dir=self.folder)
        where = {"profile": self._profile}
        logs = ("controller", *map(str, range(self.processes)))
        self._written_before = {name: len(self.log(name)) for name in logs}
        self.supervisor.spawn("controller", _CONTROLLER, where, self.log_path("controller"))
        self.supervisor.warm(_ENGINE)
        address = f"127.0.0.1:{ports.free_port()}"
        for index in range(self.processes):
            self._spawn(index, address)

    def _spawn(self, index: int, address: str | None) -> None:
        """Ask for one process; without an address it joins a group only when it is told to."""
        shape = {"count": self.processes, "devices": self.devices, "platform": self.platform}
        spec = {**shape, "profile": self._profile, "address": address, "index": index}
        self.supervisor.spawn(engine_name(index), _ENGINE, spec, self.log_path(index))

    def replace(self, indices: Collection[int]) -> None:
        """Start processes in the place of some that have ended; they have joined no group yet.

        Raises:
            StartError: the controller does not let go of those that have ended.
        """
        if indices and not hub.unregister(self.client, self._opened(), indices):
            raise StartError("the controller does not answer")
        for index in indices:
            self._written_before[str(index)] = len(self.log(index))
            self._spawn(index, None)

    def wait_for_all(self, patience: float) -> None:
        """Wait until every process has come.

        Raises:
            StartError: one ended, or did not come within ``patience`` seconds.
        """
        self._wait(self._all_here, "not all processes have come", patience)

    def _opened(self) -> str | None:
        """The file that says where the controller can be reached, once it is there."""
        return ports.connection_file(self._profile, "client")

    def _connect(self, report: Callable[[str], None]) -> None:
        import ipyparallel  # while the processes start

        self._wait(self._opened, "the controller has not opened its ports")
        answers = partial(self._call, ipyparallel.Client, self._opened())
        self._wait(answers, "the controller does not answer")
        report("processes are joining one jax.distributed group")
        self._wait(self._all_here, "not all processes have joined")

    def _call(self, client: type[ipyparallel.Client], connection: str) -> bool:
        try:
            self.client = client(connection_info=connection, timeout=_ANSWER)
        except TimeoutError:
            return False
        return True

    def _all_here(self) -> bool:
        return len(self.client.ids) == self.processes

    def _wait(
        self, done: Callable[[], bool], otherwise: str, patience: float | None = None
    ) -> None:
        patience = _PATIENCE if patience is None else patience
        deadline = time.monotonic() + patience
        while not done():
            # The controller's heart monitor ends alone, and the supervisor does not hear of it.
            if self.supervisor.ended or self._port_taken("controller"):
                raise StartError(self._post_mortem())
            if time.monotonic() > deadline:
                raise StartError(f"Gave up after {patience:.0f} s: {otherwise}.\n{self._state()}")
            time.sleep(_POLL)

    def _state(self) -> str:
        joined = sorted(self.client.ids) if self.client else []
        return f"Running: {', '.join(sorted(self.supervisor.pids)) or 'nothing'}; joined: {joined}."

    def _post_mortem(self) -> str:
        name, status = next(iter(self.supervisor.ended.items()), ("controller", 1))
        how, said = how_it_ended(status), self._last_words(name.removeprefix("process "))
        tail = said.strip().splitlines()[-8:] or ["nothing"]
        known = explain.death(how, said)
        message = [f"{name} ended ({how}) while starting. It wrote:", *(f"  {s}" for s in tail)]
        return "\n".join([*message, *(known.lines if known else ())])

    def log_path(self, name: int | str) -> str:
        """Where a child's own stdout and stderr go."""
        return os.path.join(self.folder, f"{name}.log")

    def log(self, name: int | str) -> str:
        """What a child wrote there so far."""
        try:
            with open(self.log_path(name), errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def _last_words(self, name: int | str) -> str:
        """What a child wrote since it was started."""
        return self.log(name)[self._written_before.get(str(name), 0) :]

    def why_gone(self) -> Help | None:
        """What is known about the ends of processes: the first, others may have followed it."""
        known = (explain.death(how, self._last_words(p)) for p, how in sorted(self.gone().items()))
        return next(filter(None, known), None)

    def gone(self) -> dict[int, str]:
        """Process index → how it ended, for every process that is not there any more."""
        names = {engine_name(index): index for index in range(self.processes)}
        ended = self.supervisor.ended.items() if self.supervisor else ()
        return {names[name]: how_it_ended(status) for name, status in list(ended) if name in names}

    def views(self) -> list[Any]:
        """One ipyparallel view a process, in engine order."""
        return [self.client[engine] for engine in sorted(self.client.ids)]

    def down(self) -> None:
        """End controller and engines at once; a supervisor that lives stays for the next start."""
        self._hang_up()
        if self.supervisor.alive:
            self.supervisor.kill_all()
        else:
            self.supervisor.stop()

    def stop(self) -> None:
        """End everything and remove the folder."""
        self._hang_up()
        if self.supervisor:
            self.supervisor.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _hang_up(self) -> None:
        if self.client is not None:
            self.client.close()
            self.client = None
