"""The operators of first-order temporal logic on relations: one file an operator."""
