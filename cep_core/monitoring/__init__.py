"""Monitoring of temporal policies: first-order (paper 01) and, later, propositional (paper 02)."""
