"""Runs a program one operation at a time and keeps every value."""
