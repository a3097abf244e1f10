"""The floor: the same processes without labkit, each `import jax; initialize; one psum`."""

import subprocess
import sys
import time

from labkit.cluster.ports import free_port

PROGRAM = """
import socket, sys, time
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
address, count, index, devices = sys.argv[1], *map(int, sys.argv[2:5])
jax.config.update("jax_num_cpu_devices", devices)
host, port = address.split(":")
while index and socket.socket().connect_ex((host, int(port))):
    time.sleep(0.005)
jax.distributed.initialize(address, count, index)
import numpy as np
mesh = Mesh(np.array(jax.devices()), ("i",))
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("i")), np.ones(devices, np.int32))
add_up = jax.shard_map(lambda v: jax.lax.psum(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
f = jax.jit(add_up)
print(f(x).addressable_data(0), flush=True)
sys.stdin.read()
"""


class Floor:
    """Plain processes; after `start` every one has printed its psum and waits."""

    def __init__(self, count: int, devices: int) -> None:
        self.count, self.devices, self.children = count, devices, []

    def start(self) -> float:
        began, address = time.perf_counter(), f"127.0.0.1:{free_port()}"
        for index in range(self.count):
            argv = [sys.executable, "-W", "ignore", "-c", PROGRAM, address]
            argv += [str(self.count), str(index), str(self.devices)]
            self.children.append(self._popen(argv))
        for child in self.children:
            expected = f"[{self.count * self.devices}]"
            assert any(line.strip() == expected for line in child.stdout), "no psum"
        return time.perf_counter() - began

    def _popen(self, argv: list[str]) -> subprocess.Popen:
        pipe = subprocess.PIPE
        return subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def pids(self) -> list[int]:
        return [child.pid for child in self.children]

    def stop(self) -> None:
        for child in self.children:
            child.kill()
        for child in self.children:
            child.wait()
            child.stdin.close()
            child.stdout.close()
