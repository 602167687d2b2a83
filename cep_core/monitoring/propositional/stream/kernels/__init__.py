"""Loops over points: decision diagrams, classes of open points, steps from a point to the next, past-only parts."""
