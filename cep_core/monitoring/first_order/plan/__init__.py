"""What must be evaluated: the shapes of formulas, the types of their variables, chains of conjunctions."""
