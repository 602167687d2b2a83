"""Training: the model is learned from a run, and learned again when the stream drifts."""
