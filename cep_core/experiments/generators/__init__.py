"""Generators of logs that are similar to those of the papers."""
