"""Counts of events for statistics and plans, made in this process or by Spark."""
