"""Traps: programs that load a batch wrong, most of them without an error."""

from __future__ import annotations

from labkit.explorers.batch.programs import NEEDS, PART_OF_MESH, RIGHT, Way

GLOBAL_INDEX = Way(
    "trap: global index into local data",
    NEEDS
    + """
mine = np.concatenate([data[first:last] for first, last in sorted(spans)])
batch = jax.make_array_from_callback(
    shape, sharding, lambda index: mine[index])
""",
    "mine =",
    "A callback gets slices of the whole batch. mine begins with this process's first row, so "
    "slice 4:8 of it is something else, or nothing.",
    instead="read by the slice that the callback gets, from the file and not from mine.",
)

GLOBAL_SHAPE = Way(
    "trap: wrong global_shape",
    NEEDS
    + """
mine = np.concatenate([data[first:last] for first, last in sorted(spans)])
batch = jax.make_array_from_process_local_data(
    sharding, mine, global_shape=mine.shape)
""",
    "mine =",
    "global_shape is that of the whole batch. Given the shape of mine, JAX takes each process's "
    "rows for all there are, and keeps a part of them.",
    instead="give the shape of the whole batch.",
)

BY_PROCESS = Way(
    "trap: rows by process number",
    """
count = shape[0] // jax.process_count()
first = count * jax.process_index()
mine = data[first:first + count]
batch = jax.make_array_from_process_local_data(sharding, mine)
""",
    "mine =",
    "Each process takes rows by its number, but the data axis of this mesh does not run from "
    "process to process: some of them hold what should be the same rows.",
    instead="ask the sharding which rows a process holds.",
    turned=True,
)

UNEVEN = Way(
    "trap: uneven last batch",
    """
left = shape[0] - 2  # the last batch of the file is shorter
needs = sharding.addressable_devices_indices_map(shape)
spans = {rows.indices(shape[0])[:2] for rows, _ in needs.values()}
mine = np.concatenate([data[first:min(last, left)]
                       for first, last in sorted(spans)])
batch = jax.make_array_from_process_local_data(sharding, mine)
total = jax.jit(jnp.sum)(batch)
""",
    "mine =",
    "The last batch is two rows short, and the shape was left for JAX to work out: each process "
    "works it out from its own rows.",
    instead="drop the last batch or fill it up, and give the global shape, so that JAX objects.",
    short=2,
)

ENDS_EARLY = Way(
    "trap: one has fewer batches",
    NEEDS
    + """
add_up = jax.jit(jnp.sum)
steps = 3 if jax.process_index() == 0 else 2
for step in range(steps):
    rows = [data[step * shape[0] + first:step * shape[0] + last]
            for first, last in sorted(spans)]
    batch = jax.make_array_from_process_local_data(
        sharding, np.concatenate(rows), shape)
    total = float(add_up(batch))
""",
    "rows =",
    "Process 0 has rows for three steps, the others for two. Each step needs everybody.",
    instead="agree on the number of steps before the first one.",
    batches=3,
)

OWN_SEED = Way(
    "trap: a shuffling seed per process",
    NEEDS
    + """
seed = jax.process_index()
order = np.random.default_rng(seed).permutation(shape[0])
mine = np.concatenate([data[order[first:last]]
                       for first, last in sorted(spans)])
batch = jax.make_array_from_process_local_data(sharding, mine, shape)
""",
    "mine =",
    "Each process shuffles with a seed of its own and takes its part of its own order: these "
    "are parts of different orders.",
    instead="take shares of one order, made with one seed for all.",
)

TRAPS = (GLOBAL_INDEX, GLOBAL_SHAPE, BY_PROCESS, UNEVEN, ENDS_EARLY, OWN_SEED)

WAYS = {way.name: way for way in (*RIGHT, PART_OF_MESH, *TRAPS)}
"""Every way, by the name its control has."""
