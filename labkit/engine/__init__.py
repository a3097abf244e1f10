"""What runs in the JAX processes: the only code that imports jax; it answers in plain data."""
