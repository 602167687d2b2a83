"""Facts about a bound pattern query for the slicer and the pipeline."""
