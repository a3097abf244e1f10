"""Both questions answered by plain programs, without labkit: what a lab must agree with."""

from typing import Any

from tests.processes import harness


def psum_question(processes: int = 2, devices: int = 4) -> dict[str, list[dict[str, Any]]]:
    """``"pmap"``, ``"local_mesh"``, ``"global_mesh"`` → what each process got, as numpy."""
    by_process = harness.run(all_psum_programs, processes=processes, devices=devices)
    return {name: [told[name] for told in by_process] for name in by_process[0]}


def batch_question() -> dict[str, list[dict[str, Any]]]:
    """``"a"``, ``"b"``, ``"result"`` → what each of two processes with one device sees of it."""
    by_process = harness.run(batch_program, processes=2, devices=1)
    return {name: [told[name] for told in by_process] for name in by_process[0]}


def all_psum_programs() -> dict[str, Any]:
    """Runs in every process, one program after the other."""
    from tests.processes.oracle import global_mesh_psum, local_mesh_psum, pmap_psum

    programs = {"pmap": pmap_psum, "local_mesh": local_mesh_psum, "global_mesh": global_mesh_psum}
    return {name: program.main() for name, program in programs.items()}


def batch_program() -> dict[str, Any]:
    """Runs in every process."""
    from tests.processes.oracle import replicated_batch

    return replicated_batch.main()
