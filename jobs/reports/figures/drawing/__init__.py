"""Frame, colours and axes of all figures."""
