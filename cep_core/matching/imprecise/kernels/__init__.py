"""Numba kernels over possible worlds, which advance time moment by moment."""
