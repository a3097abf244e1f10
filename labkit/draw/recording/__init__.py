"""Pictures of one recorded step."""
