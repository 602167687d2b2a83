"""Result: totals of a slice, how slices are merged, and the result columns."""
