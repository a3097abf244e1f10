"""Prepared experiments: controls around a stage; each change runs on the real processes."""
