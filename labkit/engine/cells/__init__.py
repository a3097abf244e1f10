"""Runs a cell in this process."""
