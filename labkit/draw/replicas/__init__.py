"""Pictures of copies and of where they differ."""
