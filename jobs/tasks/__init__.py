"""Tasks that a scheduler or a command line starts."""
