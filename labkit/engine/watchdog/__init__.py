"""Tells where the main thread of this process stands."""
