"""`P AND Q`: pairs of matches, one from each side."""
