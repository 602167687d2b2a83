"""Kernels: Numba over arrays."""
