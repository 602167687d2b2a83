"""Generators of logs of the shapes that the papers use."""
