"""Compiles a bound query to the plan that the kernels need, and refuses queries that are not supported."""
