"""Arrays: turns the candidates of a slice into the arrays that kernels read."""
