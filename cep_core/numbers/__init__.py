"""Exact numbers of any size, as columns and as rows that kernels add; also codes and groups of values."""
