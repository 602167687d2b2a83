"""Numba kernels over rows of bits and runs of points."""
