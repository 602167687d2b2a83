"""TIMESTAMP columns beside whole-number times."""
