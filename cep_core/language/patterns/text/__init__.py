"""From the text of a pattern query to its tree, and back."""
