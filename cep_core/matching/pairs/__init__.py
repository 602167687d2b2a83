"""`P AND Q`: pairs of matches, one of each side."""
