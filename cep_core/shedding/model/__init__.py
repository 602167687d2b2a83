"""The model of an operator: how partial matches develop, and what they cost."""
