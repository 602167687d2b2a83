"""Choice: which kernels answer a selection strategy."""
