"""The automata of a pattern: states, and what may follow what."""
