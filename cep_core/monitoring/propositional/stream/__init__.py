"""The streaming engine of propositional policies: a log is read in blocks, verdicts are told when they are known."""
