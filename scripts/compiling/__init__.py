"""What set-up compiles all kernels with: further queries, and changes of Numba's compiler that save time."""
