"""Choice: decides which kernels evaluate a plan, and at what cost."""
