"""What a lab gives back, able to show itself."""
