"""Arrays: from a slice's candidates to what the kernels read."""
