"""A grid of shedding experiments: its definition, the logs and queries it reads, its cells, and what the paper says."""
