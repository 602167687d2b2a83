"""A first workload folder from a file: what its rows look like, and the texts that say so."""
