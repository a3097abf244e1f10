"""Ways to load a batch, tried on the real processes."""
