"""Which kernel evaluates an operator."""
