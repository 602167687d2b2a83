"""One run of a workload at a time: the lease, and the fence around what it commits."""
