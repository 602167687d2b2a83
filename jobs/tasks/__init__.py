"""Tasks: what a scheduler or a command line starts."""
