"""The rows of matches, the totals, and the merge of both over slices."""
