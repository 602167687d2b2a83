"""The figures of a report: each in words, as numbers, and drawn at two widths."""
