"""SASE++'s own plans, run by run, which only benchmarks and tests use."""
