"""The ways in which a message reaches a place."""
