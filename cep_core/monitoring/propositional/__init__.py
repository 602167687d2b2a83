"""Monitors propositional policies (paper 02): a whole log column by column, or a stream point by point."""
