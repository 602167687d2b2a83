"""What the slicer and the pipeline must know of a bound pattern query."""
