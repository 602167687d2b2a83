"""Grids of experiments: their definitions, the logs and queries they read, their cells, and what a paper says."""
