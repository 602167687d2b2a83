"""Result: rows of matches, totals, and their merge."""
