"""Kernels: possible worlds, a moment at a time."""
