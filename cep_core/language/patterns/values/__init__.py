"""Values of expressions, a whole column at a time."""
