"""The text of first-order policies, which is MonPoly's: its grammar, from text to tree, and from tree to text."""
