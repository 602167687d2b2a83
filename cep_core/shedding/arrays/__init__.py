"""Arrays: what an operator is offered, and where its partial matches stand."""
