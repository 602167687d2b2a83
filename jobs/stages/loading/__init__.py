"""Parts of the stages that load."""
