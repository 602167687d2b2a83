"""From a parsed policy to a formula with resolved names, one type for each variable, and LET unfolded."""
