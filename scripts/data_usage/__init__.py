"""The log of the workload `data_usage`: its usual events, its planted violations, its files."""
