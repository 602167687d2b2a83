"""Resolves the names of a propositional policy and checks what a log or a workload can answer."""
