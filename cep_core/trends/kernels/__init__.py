"""Kernels: Numba functions over arrays, which count trends."""
