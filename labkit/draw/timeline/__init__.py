"""The picture of when each device ran what."""
