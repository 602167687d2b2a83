"""Which rows a page shows where there are more than it can show: those that differ."""
