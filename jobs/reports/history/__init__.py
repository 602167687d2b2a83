"""Over all days: a page for each query, a workload's small lines and calendar, and links between neighbouring days."""
