"""What can be said of a policy before any event is read."""
