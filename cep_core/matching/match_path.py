"""A match, or the beginning of one, as explanations and references name it."""

from __future__ import annotations

Path = tuple[tuple[int, str], ...]
"""The (row of the log, variable) steps in the order of time."""
