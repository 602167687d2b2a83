"""Judging: conditions that only a whole or growing match can answer."""
