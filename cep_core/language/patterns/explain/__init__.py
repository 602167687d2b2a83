"""How a pattern query is understood, for `explain`."""
