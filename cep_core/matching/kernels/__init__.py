"""Numba kernels over the arrays of an event graph."""
