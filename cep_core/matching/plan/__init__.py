"""Plan: from a bound query to what the kernels need to know, and what is refused."""
