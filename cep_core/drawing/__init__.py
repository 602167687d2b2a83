"""Drawings in SVG without a drawing library: marks between two axes and the words around them (decision 0032)."""
