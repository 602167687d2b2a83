"""Plan: turns a bound query into what the kernels need to know, and refuses what no kernel evaluates."""
