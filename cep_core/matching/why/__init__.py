"""Explains why a binding is a match, or why it is not one."""
