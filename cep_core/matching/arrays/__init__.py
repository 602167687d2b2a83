"""The event graph of a slice as arrays, which the kernels read."""
