"""A sample of a workload's sources, made into events: what a load would make of the first rows."""
