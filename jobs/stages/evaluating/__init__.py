"""Parts of the stage `evaluate`."""
