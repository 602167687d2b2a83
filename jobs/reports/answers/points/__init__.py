"""What reports tell of a violation's time-point beside the values of the policy."""
