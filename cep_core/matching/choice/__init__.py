"""Chooses the kernels that answer a query under its selection strategy."""
