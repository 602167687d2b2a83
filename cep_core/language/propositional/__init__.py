"""Propositional policies (paper 02): metric temporal logic over named atoms, read from `.mtl` files."""
