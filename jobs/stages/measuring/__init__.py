"""Parts of the stages `compare` and `experiment`."""
