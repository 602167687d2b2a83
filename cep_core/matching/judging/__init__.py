"""Judges conditions that need a whole match or a growing run."""
