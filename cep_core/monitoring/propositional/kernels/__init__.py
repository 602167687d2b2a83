"""Numba kernels over bit columns: neighbours, carries over runs, and pointers."""
