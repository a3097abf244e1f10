"""The lab: JAX processes in one group, cells that run in all of them, facts that come back."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit import draw, facts
from labkit.analysis import arrays
from labkit.analysis.timeline import timeline
from labkit.cluster import memory
from labkit.cluster.cluster import Cluster
from labkit.display import drawn
from labkit.display.notebook import progress
from labkit.display.recording import Recording
from labkit.display.results import Results
from labkit.errors import LabError, StartError
from labkit.lab import timing, validation
from labkit.lab.cells import DEADLINE, Cell, Cells, Progress, outputs_to
from labkit.lab.engine_client import EngineClient, Look
from labkit.lab.rejoin import rejoin
from labkit.lab.replicas import mended, report, require_expression
from labkit.lab.state import LabState

if TYPE_CHECKING:
    import ipyparallel


class Lab:
    """JAX processes in one group. Made by :func:`labkit.start`.

    Attributes:
        processes: what each process says of itself.
        last: results of the last cell that ended.
    """

    def __init__(self, processes: int, devices: int, platform: str, launch: str) -> None:
        self.processes: tuple[facts.Process, ...] = ()
        self.last: Results | None = None
        self._lock = threading.RLock()
        self._setup: list[Callable[[], Results]] = []
        self._cluster = Cluster(processes, devices, platform, launch)
        self._state = LabState(self._cluster.gone)
        self._client = EngineClient(self._cluster, self._state)
        self._cells = Cells(self._client, self._state)
        atexit.register(self.stop)
        try:
            self._get_ready(self._bring_up())
        except BaseException:
            self.stop()
            raise

    # --- up and down ---

    def _bring_up(self) -> dict[int, Any]:
        with progress() as report:
            self._cluster.start(report)
        return self._client.ask("cells.run", "prepare")

    def _get_ready(self, told: Mapping[int, Any]) -> None:
        self.processes = tuple(arrays.process(told[p]) for p in sorted(told))
        self._require_counts()
        self._state.become("ready")
        why = self._client.in_step(0)
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
        if self.state != "stopped":
            self._state.become("stopped")
            self._client.interrupt.set()
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
        self._state.require_not_stopped()
        self._client.interrupt.set()  # whoever waits in this lab gives up
        with self._lock:
            self._state.become("starting")
            self.last = None
            self._cells.forget()
            try:
                self._again(shape)
            except BaseException as error:
                self._state.become("lost", f"the reset failed: {error}")
                raise
            for replay in self._setup:
                replay()
        return self

    def _again(self, shape: tuple[int, int]) -> None:
        """The same processes in a new group if that is safe, else fresh ones."""
        now = self._cluster
        same, now.devices = now.processes == shape[0], shape[1]
        told = rejoin(now, self._client) if same else None
        if told is None:
            now.down()
            now.processes = shape[0]
            told = self._bring_up()
        self._get_ready(told)

    def _new_shape(self, processes: int | None, devices: int | None) -> tuple[int, int]:
        now = self._cluster
        shape = (
            now.processes if processes is None else validation.whole("processes", processes),
            now.devices if devices is None else validation.whole("devices", devices),
        )
        memory.require_room(shape[0] - now.processes)
        return shape

    def interrupt(self) -> None:
        """End whatever wait is going on in this lab, from any thread."""
        self._client.interrupt.set()

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    # --- state ---

    @property
    def state(self) -> str:
        """``starting``, ``ready``, ``running``, ``waiting``, ``unsafe``, ``lost``, ``stopped``."""
        return self._state.word

    @property
    def why(self) -> str:
        """Why the lab is ``unsafe`` or ``lost``; empty otherwise."""
        return self._state.why

    @property
    def folder(self) -> str:
        """A folder of this lab's for small files that its processes read; gone after stop()."""
        return self._cluster.folder

    @property
    def client(self) -> ipyparallel.Client:
        """The ipyparallel client. What is run through it directly is not watched."""
        return self._cluster.client

    def log(self, process: int) -> str:
        """What a process wrote to its own stdout and stderr, outside Python's (XLA, gloo)."""
        (index,) = validation.chosen(process, self._cluster.processes)
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
        anyway: bool = False,
        progress: Progress | None = None,
    ) -> Results:
        """Run the same code in every process, and wait until its work has ended.

        Args:
            code: source text, or a function without arguments, whose source is sent.
            on: some processes only: ``0``, ``[0, 1]`` or ``"0,1"``.
            deadline: seconds that somebody may wait for somebody else.
            setup: replay this code after a reset.
            namespace: a private namespace instead of the learner's. What runs there is not
                refused for what it seems to need.
            anyway: run in some processes also what seems to need the others.
            progress: called with the outputs so far while it runs.

        Returns:
            Process index → value of the last expression, as plain data.

        Raises:
            LabError: an argument is refused, or the code seems to need processes it is not run in.
            ProcessError: the code raised in a process.
            NotArrived: the deadline passed; the lab is ``unsafe``.
            ProcessLost: a process is gone; the lab is ``lost``.
            Unsafe: the lab was unsafe before; nothing was run.
        """
        return self._run(code, on, deadline, setup, anyway, outputs_to(progress), namespace)

    def _run(
        self,
        code: str | Callable[[], Any],
        on: int | str | Iterable[int] | None,
        deadline: float,
        setup: bool,
        anyway: bool,
        look: Look,
        namespace: str | None = None,
    ) -> Results:
        """The same for who looks at the wait, and asks it for outputs only to show them."""
        source, limit = validation.source_of(code), validation.seconds(deadline)
        with self._lock:
            chosen = validation.chosen(on, self._cluster.processes)
            self._state.require_safe()
            done = self._cells.run(Cell(source, chosen, limit, look, namespace, anyway))
            self.last = done
            if setup:
                where = on if on is None else chosen
                more = {"namespace": namespace, "anyway": True}
                self._setup.append(partial(self.run, source, where, limit, **more))
        return done

    def step(
        self,
        code: str,
        deadline: float = DEADLINE,
        progress: Progress | None = None,
    ) -> Recording:
        """Record a call: every operation in it, and its values on every device.

        The function is traced once and run twice, plainly and with every value as an output. The
        call's arguments are evaluated once; arrays in them are what the function is given.

        Args:
            code: an expression, ``"loss(params, batch)"``, or a cell that ends in one: the lines
                before it run as they are.
            deadline: seconds that somebody may wait for somebody else.
            progress: called with the outputs so far while it runs.

        Returns:
            The recording, which shows itself on a stage. Its ``why`` says why nothing in it may be
            trusted, if so.

        Raises:
            LabError: no expression, or the processes ran different programs.
            ProcessError: it raised in a process, or could not be recorded.
            NotArrived, ProcessLost, Unsafe: as in :meth:`run`.
        """
        return self._step(code, deadline, outputs_to(progress)).recording

    def _step(self, code: str, deadline: float, look: Look) -> Results:
        """The same for who looks at the wait; the recording is in the results."""
        (source, expression), limit = validation.expression_of(code), validation.seconds(deadline)
        with self._lock:
            self._state.require_safe()
            cell = Cell(source, tuple(range(self._cluster.processes)), limit, look)
            done = self._cells.record(cell, expression, self.processes)
            self.last = done
        return done

    def measure(
        self, *expressions: str, rounds: int = 20, deadline: float = DEADLINE
    ) -> facts.Timing:
        """How long calls take, compared: in turn, round after round, in all processes.

        Each is called twice before the rounds that count, and each round begins with another one.
        A call ends when its values are there; the wait for other processes counts. The flight
        recorder runs along as in every cell: beside times of 2 ms its cost did not show.

        Args:
            expressions: what to call, ``"total(x)"``; the others are held against the first.
            rounds: how often each is called.
            deadline: seconds that somebody may wait for somebody else.

        Returns:
            The seconds of every round in every process; a picture at the end of a cell.

        Raises:
            LabError: an argument is refused; otherwise as in :meth:`run`.
        """
        ways = tuple(validation.expression(one) for one in expressions)
        if not ways:
            raise LabError('measure() was given nothing; expected lab.measure("f(x)", "g(x)").')
        cell = timing.source(ways, validation.whole("rounds", rounds))
        return drawn.measured(timing.measured(ways, self.run(cell, deadline=deadline)))

    def roll_call(self) -> facts.RollCall:
        """Where every process is right now, also while all are blocked.

        Returns:
            One :class:`labkit.facts.ProcessStatus` a process, and the likely cause in one sentence;
            a picture at the end of a cell.
        """
        self._state.require_not_stopped()
        return drawn.roll_call(self._client.roll_call(), self.processes)

    def timeline(self, window: tuple[float, float] | None = None) -> draw.Picture:
        """When each device ran what in the last cell, and who waited for whom.

        The recorder sees compiled programs, not Python; not what threads of the learner's own
        launch; and nothing after the learner has started a profile with ``jax.profiler``. A
        collective within groups of devices is told from one over all of them only where a device
        leaves before another comes.

        Args:
            window: from when to when, in seconds since the first launch; None for the whole cell.

        Raises:
            LabError: no cell has ended yet, or the window is no (from, to).
        """
        span = None if window is None else validation.window(window)
        found = timeline(self._cells.flown(), self.processes)
        if span is None:
            return drawn.timeline(found, self.processes, self._cells.source, self.why)
        return draw.timeline(found, self.processes, span, self.why)

    # --- what the processes hold ---

    @contextmanager
    def _reading(self, untrusted: bool) -> Iterator[EngineClient]:
        """Nobody else runs or resets meanwhile, and what is read may be read."""
        with self._lock:
            self._state.require_readable(untrusted)
            yield self._client

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
        with self._reading(untrusted) as client:
            told = client.read("cells.namespaces", "describe", [name], namespace)
        found = arrays.variable(name, {p: said[name] for p, said in told.items()})
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
        with self._reading(untrusted) as client:
            told = client.read("cells.namespaces", "values", name)
        held = {process: values for process, (values, _) in told.items()}
        problems = [problem for _, problem in told.values() if problem]
        if problems or not any(held.values()):
            raise LabError(problems[0] if problems else f"No process has a name {name!r}.")
        return arrays.values(held)

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

    def replicas(
        self,
        name: str,
        fix_from: int | None = None,
        untrusted: bool = False,
        own: bool = True,
    ) -> drawn.DrawnReplicaReport:
        """Whether devices that should hold the same bytes do hold the same bytes.

        Every process hashes what its devices hold, where it lies: nothing is sent but hashes, and
        elements only where these differ. Nobody waits for anybody, so it cannot hang, and what
        JAX believes of the copies plays no part.

        Args:
            name: a tree of arrays: ``params``, ``state["params"]``, or ``params, opt_state``.
                Another expression is computed in all processes first, as a cell would be.
            fix_from: make every copy of what this process holds equal to its lowest device's;
                the name then stands for new arrays, of the same sharding, in every process.
            untrusted: read even though the lab is unsafe; the report keeps the mark.
            own: whether arrays that lie in one process alone are compared with those of the same
                path in the others: parameters should be equal there, a batch need not.

        Returns:
            ``.agree``, and ``.differing``: leaves with ``.path``, ``.groups``, ``.first_index``,
            ``.count`` and ``.max_abs_diff``; a picture at the end of a cell.

        Raises:
            LabError: no process has it, or it is to be mended and would have to be computed.
            ProcessError: computing it raised.
            NotArrived, ProcessLost, Unsafe: as for a cell.
        """
        require_expression(name, assignable=fix_from is not None)
        with self._reading(untrusted) as client:
            if fix_from is None:
                found = report(client, self.run, name, own)
            else:
                self._state.require_safe()
                (source,) = validation.chosen(fix_from, self._cluster.processes)
                found = mended(client, self.run, name, source, own)
        return drawn.report(replace(found, why=self.why), self.processes)
