"""What the slicer and the pipeline need to know of a policy: atoms, the attributes it reads, its reach."""
