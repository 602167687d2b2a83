"""The model of an operator: how partial matches go on, and what they cost."""
