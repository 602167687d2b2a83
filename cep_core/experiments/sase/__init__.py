"""SASE++'s own plans, executed run by run. Only benchmarks and tests use them."""
