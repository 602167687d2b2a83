"""What reports do for each kind of query."""
