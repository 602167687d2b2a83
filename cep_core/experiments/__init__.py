"""Experiments: generated streams, and strategies compared side by side."""
