"""Parts of the stages that slice."""
