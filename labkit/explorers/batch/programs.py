"""Ways to load a batch: the programs that every process runs.

Each is the text that the explorer shows and runs. ``HEAD`` comes first in all of them: a mesh,
who needs what, and the file; the last lines say what became of it.
"""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """\
import time
from labkit.rows import Rows

mesh = Mesh({devices}, ("data", "model"))
sharding = NamedSharding(mesh, P("data"))
data = Rows("{path}", {count})
shape, batch, end = ({rows}, data.columns), None, None
start = time.time()
"""

TAIL = """
jax.block_until_ready(batch)
end = time.time()"""

STRAIGHT = "np.array(jax.devices()).reshape({data}, {model})"
TURNED = "np.array(jax.devices()).reshape({model}, {data}).T"

NEEDS = """
needs = sharding.addressable_devices_indices_map(shape)
spans = {rows.indices(shape[0])[:2] for rows, _ in needs.values()}
"""


@dataclass(frozen=True)
class Way:
    """One way to load a batch.

    Attributes:
        name: what the control calls it.
        body: the program between ``HEAD`` and the end of it.
        reads: the beginning of the line that reads rows.
        says: what this way does, in one sentence.
        instead: what to do instead; of a trap, which goes wrong at least on some meshes.
        turned: whether the mesh's model axis, not data, runs from process to process.
        batches: how many batches the rows are for.
        short: how many rows the last batch is short of.
    """

    name: str
    body: str
    reads: str
    says: str
    instead: str = ""
    turned: bool = False
    batches: int = 1
    short: int = 0

    @property
    def trap(self) -> bool:
        """Whether it goes wrong, at least on some meshes."""
        return bool(self.instead)

    def program(self, mesh: tuple[int, int], rows: int, path: str) -> str:
        """The whole program.

        Args:
            mesh: sizes of the axes data and model.
            rows: how many rows a batch has.
            path: of the file.
        """
        sizes = dict(zip(("data", "model"), mesh, strict=True))
        devices = (TURNED if self.turned else STRAIGHT).format(**sizes)
        head = HEAD.format(devices=devices, path=path, rows=rows, count=self.batches * rows)
        return head + self.body.rstrip() + TAIL


OWN_ROWS = Way(
    "each its rows: process_local_data",
    NEEDS
    + """
mine = np.concatenate([data[first:last] for first, last in sorted(spans)])
batch = jax.make_array_from_process_local_data(sharding, mine, shape)
""",
    "mine =",
    "Each process asks the sharding which rows its devices hold, reads each of them once, and "
    "hands them over. Nothing is sent.",
)

CALLBACK = Way(
    "each its rows: callback",
    """
def load(index):
    rows, columns = index
    return data[rows][:, columns]

batch = jax.make_array_from_callback(shape, sharding, load)
""",
    "return data",
    "JAX asks for the slice of each device, and the function reads it. Nothing is sent; devices "
    "of one process that hold copies may each ask for the same rows.",
)

SINGLE_DEVICE = Way(
    "each its rows: single_device_arrays",
    """
needs = sharding.addressable_devices_indices_map(shape)
pieces = [jax.device_put(data[rows], device)
          for device, (rows, _) in needs.items()]
batch = jax.make_array_from_single_device_arrays(
    shape, sharding, pieces)
""",
    "pieces =",
    "Each process reads for one device after the other and puts the rows there itself. "
    "Nothing is sent; rows that two of its devices hold are read twice.",
)

ONE_A_REPLICA = Way(
    "one per replica, sent to its copies",
    """
def load(index):
    copy, rows, _ = index
    if copy.indices(mesh.shape["model"])[0] == 0:
        return data[rows][None]
    return np.zeros((1, *sharding.shard_shape(shape)), data.dtype)

pieces = jax.make_array_from_callback(
    (mesh.shape["model"], *shape),
    NamedSharding(mesh, P("model", "data")), load)
add_up = jax.jit(lambda p: p.sum(0, dtype=p.dtype),
                 out_shardings=sharding)
batch = add_up(pieces)
""",
    "return data",
    "Only the first device of each row of the mesh has its rows read; the others put in zeros, "
    "and a sum along model gives everybody the same.",
)

BROADCAST = Way(
    "one loads all: broadcast, device_put",
    """
if jax.process_index() == 0:
    whole = data[:shape[0]]
else:
    whole = np.zeros(shape, data.dtype)
whole = multihost_utils.broadcast_one_to_all(whole)
batch = jax.device_put(whole, sharding)
""",
    "whole = data",
    "Process 0 reads everything and sends everything to everybody; each process then keeps the "
    "part of its devices. device_put compares once more.",
)

JIT = Way(
    "all load all: jit takes its part",
    """
whole = data[:shape[0]]
take = jax.jit(lambda rows: rows, out_shardings=sharding)
batch = take(whole)
""",
    "whole =",
    "Every process reads the whole batch, and jit keeps what its devices hold. Nothing is sent "
    "and nothing compared: jit believes that all gave the same.",
)

DEVICE_PUT = Way(
    "all load all: device_put compares",
    """
whole = data[:shape[0]]
batch = jax.device_put(whole, sharding)
""",
    "whole =",
    "Every process reads the whole batch. device_put gathers them all to compare, and raises "
    "where they differ.",
)

PART_OF_MESH = Way(
    "part of the mesh, while one sleeps",
    """
part = Mesh(mesh.devices[:1], mesh.axis_names)
sharding = NamedSharding(part, P("data"))
needs = sharding.addressable_devices_indices_map(shape)
if jax.process_index() == jax.process_count() - 1:
    time.sleep(1)
    start = time.time()
pieces = [jax.device_put(data[rows], device)
          for device, (rows, _) in needs.items()]
batch = jax.make_array_from_single_device_arrays(
    shape, sharding, pieces, dtype=data.dtype)
""",
    "pieces =",
    "An array on the first row of the mesh only, while the last process comes a second late. "
    "A process without a device in it hands over no pieces, and must name the dtype.",
)

RIGHT = (OWN_ROWS, CALLBACK, SINGLE_DEVICE, ONE_A_REPLICA, BROADCAST, JIT, DEVICE_PUT)
"""Those after which every device holds its rows."""
