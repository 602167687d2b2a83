"""Temporal formulas: the syntax tree, intervals, sugar and reach that first-order and propositional policies share."""
