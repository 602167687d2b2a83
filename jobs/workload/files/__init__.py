"""Files of a workload, and problems with their places."""
