"""The tables of a workload's lake: their columns, and making them."""
