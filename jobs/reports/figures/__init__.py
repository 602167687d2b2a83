"""Every figure of a report: what it shows, in words, as numbers and drawn at two widths."""
