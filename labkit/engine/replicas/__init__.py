"""Hashes what this process holds of a tree, and repairs it."""
