"""The type of a match, or a prefix of one, in explanations and reference implementations."""

from __future__ import annotations

Path = tuple[tuple[int, str], ...]
"""(row of the log, variable) steps in time order."""
