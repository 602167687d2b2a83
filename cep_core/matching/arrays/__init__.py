"""Arrays: the event graph of a slice, as the kernels read it."""
