"""Rewriting policies into equal formulas that are safe: what `-no_rw` switches off in MonPoly (`rewriting.core`)."""
