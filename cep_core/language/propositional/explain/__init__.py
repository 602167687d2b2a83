"""How a policy is understood, for `explain`, and what may surprise its author."""
