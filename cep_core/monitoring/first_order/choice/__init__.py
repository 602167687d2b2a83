"""Which kernels answer a part of a formula, and in which order."""
