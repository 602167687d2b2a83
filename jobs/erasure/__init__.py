"""What was erased must not come back: conditions, keyed hashes of values, and the rules that loads follow."""
