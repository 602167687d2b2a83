"""Result: totals of a slice, their merge, and the result columns."""
