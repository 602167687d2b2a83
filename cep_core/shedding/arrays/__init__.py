"""Arrays: the events that an operator is offered, and its partial matches."""
