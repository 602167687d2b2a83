"""Experiments: generated streams, strategies compared side by side, and policies beside labels."""
