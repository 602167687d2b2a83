"""The text of propositional policies: words or symbols, and what both mean."""
