"""The lab: JAX processes in one group, cells that run in all of them, facts that come back."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit import checks, draw, facts, limits, merge, results
from labkit.cluster import Cluster
from labkit.errors import LabError, NotArrived, ProcessError, ProcessLost, StartError, Unsafe
from labkit.keeper import can_fork
from labkit.live import progress
from labkit.remote import call
from labkit.watch import Interrupted, Wait, gone_words

if TYPE_CHECKING:
    import ipyparallel

DEADLINE = 25.0
_RESET = "lab.reset() makes the lab ready again."
_SHORT, _CHECK = 10.0, 5.0  # seconds, for the lab's own requests and for the in-step check

_current: Lab | None = None


def current() -> Lab | None:
    """The lab of this notebook or script, None if there is none alive."""
    return _current if _current is not None and _current.state != "stopped" else None


def start(
    processes: int = 2, devices: int = 4, platform: str = "cpu", launch: str | None = None
) -> Lab:
    """Start JAX processes that form one ``jax.distributed`` group.

    It replaces, in every one of ``processes`` terminals::

        jax.config.update("jax_num_cpu_devices", devices)
        jax.distributed.initialize("127.0.0.1:PORT", processes, index)

    Args:
        processes: how many.
        devices: CPU devices of each.
        platform: ``"cpu"``, or ``"gpu"`` where each process finds one.
        launch: ``"fork"`` (Linux: imports are paid once) or ``"plain"``; None chooses.

    Returns:
        A lab in state ``ready``: all have joined, the counts add up, a first psum was right.
        Use it as a context manager to have it stopped at the end.

    Raises:
        LabError: an argument that is not a whole number of at least 1.
        StartError: a lab is alive already, memory is short, or a process did not come.
    """
    global _current
    checks.whole("processes", processes)
    checks.whole("devices", devices)
    if current() is not None:
        raise StartError(
            f"This notebook has a lab already: {current()!r}. Use it (labkit.current()), give it "
            "another shape with lab.reset(processes=..., devices=...), or lab.stop() it first."
        )
    limits.require_room(processes)
    _current = Lab(processes, devices, platform, launch or ("fork" if can_fork() else "plain"))
    return _current


class Lab:
    """JAX processes in one group. Made by :func:`start`.

    Attributes:
        processes: what each process says of itself.
        why: why the lab is ``unsafe`` or ``lost``; empty otherwise.
        last: results of the last cell that ended.
    """

    def __init__(self, processes: int, devices: int, platform: str, launch: str) -> None:
        self.processes: tuple[facts.Process, ...] = ()
        self.why = ""
        self.last: results.Results | None = None
        self._state, self._wait = "starting", None
        self._lock, self._interrupt = threading.RLock(), threading.Event()
        self._number, self._cells, self._setup = 0, 0, []
        self._cluster = Cluster(processes, devices, platform, launch)
        atexit.register(self.stop)
        try:
            self._bring_up()
        except BaseException:
            self.stop()
            raise

    # --- up and down ---

    def _bring_up(self) -> None:
        with progress() as report:
            self._cluster.start(report)
            told = self._ask("cell", "prepare")
            self.processes = tuple(merge.process(told[p]) for p in sorted(told))
            self._require_counts()
            self._state, self.why = "ready", ""
            why = self._in_step()
        if why:
            raise StartError(f"The processes started but are not in step: {why}")

    def _require_counts(self) -> None:
        want, have = self._cluster, self.processes
        indices = [process.index for process in have]
        total = sum(len(process.devices) for process in have)
        agree = all(p.count == want.processes and p.global_devices == total for p in have)
        if indices != list(range(want.processes)) or not agree:
            raise StartError(f"{want.processes} processes were started, but they report {have}.")

    def stop(self) -> None:
        """End the lab and everything it started; safe to call again."""
        if self._state != "stopped":
            self._state = "stopped"
            self._interrupt.set()
            self._cluster.stop()
            atexit.unregister(self.stop)

    def reset(self, processes: int | None = None, devices: int | None = None) -> Lab:
        """Make the lab ready again with fresh processes, setup cells replayed.

        Args:
            processes: another number of processes; None keeps it.
            devices: another number of devices in each; None keeps it.

        Returns:
            This lab.

        Raises:
            LabError: a number is refused, or the lab was stopped.
            StartError: it could not start again; it is ``lost`` then.
        """
        shape = self._new_shape(processes, devices)
        self._require_not_stopped()
        self._interrupt.set()  # whoever waits in this lab gives up
        with self._lock:
            self._interrupt.clear()
            self._state, self.last = "starting", None
            self._cluster.down()
            self._cluster.processes, self._cluster.devices = shape
            try:
                self._bring_up()
            except BaseException as error:
                self._become("lost", f"the reset failed: {error}")
                raise
            for source in list(self._setup):
                self.run(source)
        return self

    def _new_shape(self, processes: int | None, devices: int | None) -> tuple[int, int]:
        now = self._cluster
        shape = (
            now.processes if processes is None else checks.whole("processes", processes),
            now.devices if devices is None else checks.whole("devices", devices),
        )
        limits.require_room(shape[0] - now.processes)
        return shape

    def interrupt(self) -> None:
        """End whatever wait is going on in this lab, from any thread."""
        self._interrupt.set()

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    # --- state ---

    @property
    def state(self) -> str:
        """``starting``, ``ready``, ``running``, ``waiting``, ``unsafe``, ``lost`` or ``stopped``."""
        if self._state in ("ready", "running", "unsafe") and self._cluster.gone():
            self._become("lost", gone_words(self._cluster.gone()))
        if self._state == "running" and self._wait is not None and self._wait.waiting:
            return "waiting"
        return self._state

    def _become(self, state: str, why: str) -> None:
        if self._state != "stopped":
            self._state, self.why = state, why

    def _require_not_stopped(self) -> None:
        if self._state == "stopped":
            raise LabError("This lab was stopped. labkit.start() starts a new one.")

    def _require_safe(self) -> None:
        self._require_not_stopped()
        if self.state == "lost":
            raise ProcessLost(f"The lab is lost: {self.why}. {_RESET}", self._cluster.gone())
        if self._state == "unsafe":
            raise Unsafe(f"The lab is unsafe, no number may be trusted: {self.why} {_RESET}")

    @property
    def client(self) -> ipyparallel.Client:
        """The ipyparallel client. What is run through it directly is not watched."""
        return self._cluster.client

    def log(self, process: int) -> str:
        """What a process wrote to its own stdout and stderr, outside Python's (XLA, gloo)."""
        (index,) = checks.chosen(process, self._cluster.processes)
        return self._cluster.log(index)

    def __repr__(self) -> str:
        shape = f"{self._cluster.processes} processes × {self._cluster.devices} devices"
        return f"Lab({self.state}: {shape}{'; ' + self.why if self.why else ''})"

    def picture(self) -> draw.Picture:
        """Processes as boxes, their devices inside, the lab's state."""
        return draw.lab(self.processes, self.state, self.why, gone=self._cluster.gone())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return self.picture()._repr_mimebundle_(**kwargs)

    # --- cells ---

    def run(
        self,
        code: str | Callable[[], Any],
        on: int | str | Iterable[int] | None = None,
        deadline: float = DEADLINE,
        setup: bool = False,
        namespace: str | None = None,
        progress: Callable[[tuple[facts.Output, ...]], None] = lambda outputs: None,
    ) -> results.Results:
        """Run the same code in every process, and wait until its work has ended.

        Args:
            code: source text, or a function without arguments, whose source is sent.
            on: some processes only: ``0``, ``[0, 1]`` or ``"0,1"``.
            deadline: seconds that somebody may wait for somebody else.
            setup: replay this code after a reset.
            namespace: a private namespace instead of the learner's.
            progress: called with the outputs so far while it runs.

        Returns:
            Process index → value of the last expression, as plain data.

        Raises:
            ProcessError: the code raised in a process.
            NotArrived: the deadline passed; the lab is ``unsafe``.
            ProcessLost: a process is gone; the lab is ``lost``.
            Unsafe: the lab was unsafe before; nothing was run.
        """
        source, limit = checks.source_of(code), checks.seconds(deadline)
        with self._lock:
            chosen = checks.chosen(on, self._cluster.processes)
            self._require_safe()
            done = self._run(source, chosen, limit, namespace, progress)
            if setup:
                self._setup.append(source)
        return done

    def _run(
        self,
        source: str,
        chosen: tuple[int, ...],
        deadline: float,
        namespace: str | None,
        progress: Callable[[tuple[facts.Output, ...]], None],
    ) -> results.Results:
        label = self._label(namespace)
        requests = self._send(chosen, "cell", "run", self._number, label, source, namespace)
        self._state = "running"
        try:
            self._await(requests, deadline, label, lambda wait: progress(_outputs(wait)))
        except BaseException as error:
            error.outputs = _outputs(self._wait)
            raise
        finally:
            if self._state == "running":
                self._state = "ready"
        return self._finish(requests)

    def _label(self, namespace: str | None) -> str:
        self._number += 1
        if namespace is not None:
            return namespace
        self._cells += 1
        return f"cell {self._cells}"

    def _finish(self, requests: Mapping[int, Any]) -> results.Results:
        """Check that the processes are in step, then give the results or the exceptions."""
        for request in requests.values():
            request.wait_for_output(_SHORT)
        outputs, records = _outputs(self._wait), {p: r.get(0) for p, r in requests.items()}
        why = self._in_step()
        self.last = results.Results(results.values(records), outputs, why)
        failed = {o.process: o.error for o in outputs if o.error}
        if failed:
            error = ProcessError(failed)
            error.outputs, error.results = outputs, self.last
            raise error
        return self.last

    def _in_step(self) -> str:
        """One collective with a number only this cell can give; why it went wrong, or nothing."""
        try:
            told = self._ask("join", "in_step", self._number, deadline=_CHECK)
        except NotArrived:
            why = (
                "the processes did not meet in the check after the cell: a collective that "
                "one process started alone is in the way."
            )
        except ProcessLost as lost:
            why = str(lost)
        except Exception as error:
            why = f"the check after the cell failed ({error})."
        else:
            off = [p for p, said in told.items() if set(said["got"]) != {said["expected"]}]
            why = off and (
                "the processes are out of step: a collective that one process started alone "
                f"has paired with another one's (seen by the check on process {off[0]})."
            )
        if why:
            self._become("unsafe", why)
        return why or ""

    # --- requests ---

    def _send(self, chosen: Iterable[int], room: str, function: str, *args: Any) -> dict[int, Any]:
        views = self._cluster.views()
        return {p: views[p].apply_async(call, room, function, *args) for p in chosen}

    def _await(
        self,
        requests: Mapping[int, Any],
        deadline: float,
        what: str,
        progress: Callable[[Wait], None] = lambda wait: None,
    ) -> None:
        self._interrupt.clear()
        self._wait = Wait(requests, self._cluster.gone, deadline, self._interrupt, what)
        try:
            self._wait.run(progress)
        except NotArrived:
            self._become("unsafe", f"not every process arrived in {what}.")
            raise
        except ProcessLost as lost:
            self._become("lost", gone_words(lost.by_process))
            raise
        except KeyboardInterrupt:
            self._become("unsafe", f"{what} was interrupted, a collective may be in flight.")
            raise Interrupted(f"{what} was interrupted. {_RESET}") from None

    def _ask(
        self, room: str, function: str, *args: Any, deadline: float = _SHORT
    ) -> dict[int, Any]:
        """A short question to every process."""
        requests = self._send(range(self._cluster.processes), room, function, *args)
        self._await(requests, deadline, f"a question of the lab's own ({function})")
        return {p: request.get(0) for p, request in requests.items()}

    # --- what the processes hold ---

    def facts(
        self, name: str, namespace: str | None = None, untrusted: bool = False
    ) -> facts.Variable:
        """What a name stands for in every process.

        Args:
            name: ``x``, ``state.x`` or ``params["w"]``.
            namespace: the private namespace of a run, None for the learner's.
            untrusted: read even though the lab is unsafe.

        Raises:
            LabError: no process has the name.
            Unsafe: the lab is unsafe.
        """
        with self._lock:
            self._require_readable(untrusted)
            told = self._ask("cell", "describe", [name], namespace)
        found = merge.variable(name, {p: said[name] for p, said in told.items()})
        if not found.views:
            raise LabError(f"No process has a name {name!r}. Run the cell that makes it first.")
        return found

    def values(self, name: str, untrusted: bool = False) -> dict[str, np.ndarray]:
        """What every device really holds of an array: device label → its own shard.

        Args:
            name: the array's name in the processes.
            untrusted: read even though the lab is unsafe.

        Returns:
            ``{"p0·d0": ..., ...}`` in order; PRNG keys as their key data (uint32).

        Raises:
            LabError: no process has the name, or it is no array.
            Unsafe: the lab is unsafe.
        """
        with self._lock:
            self._require_readable(untrusted)
            told = self._ask("cell", "values", name)
        problems = [said for said in told.values() if isinstance(said, str)]
        if problems or not any(told.values()):
            raise LabError(problems[0] if problems else f"No process has a name {name!r}.")
        return merge.values(told)

    def show(self, *names: str, untrusted: bool = False) -> draw.Picture:
        """A picture of who holds what: shards, values, meshes, replicas.

        Args:
            names: arrays and meshes in the processes.
            untrusted: read even though the lab is unsafe; the picture keeps the mark.
        """
        if not names:
            raise LabError('show() was given no name; expected some, for example lab.show("x").')
        found = tuple(self.facts(name, untrusted=untrusted) for name in names)
        return draw.variables(found, self.processes, why=self.why)

    def _require_readable(self, untrusted: bool) -> None:
        self._require_not_stopped()
        if not (untrusted and self.state == "unsafe"):
            self._require_safe()


def _outputs(wait: Wait) -> tuple[facts.Output, ...]:
    return tuple(_output(wait, p) for p in sorted(wait.requests))


def _output(wait: Wait, process: int) -> facts.Output:
    request = wait.requests[process]
    record = request.get(0) if request.ready() and request.successful() else None
    return results.output(process, record, request.stdout + request.stderr, wait.doing(process))
