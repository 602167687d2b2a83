"""Kernels: an event meets partial matches, and partial matches are dropped."""
