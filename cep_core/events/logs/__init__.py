"""Logs of time-points: events by type with the point that each belongs to, and readers of other systems' texts."""
