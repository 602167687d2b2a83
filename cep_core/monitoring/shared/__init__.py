"""What the monitors share: which points are decided, and the points of a log."""
