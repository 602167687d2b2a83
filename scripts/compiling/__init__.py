"""What set-up changes in Numba's compiler, so that compiling all kernels takes less time."""
