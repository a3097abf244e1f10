"""The lab, and all that stands behind it."""
