"""Processes up and down; nothing is left behind."""
