"""From runs of points to the rows that are reported."""
