"""Remarks for a person in addition to the answer. They go to standard error, so that answers can be piped."""

from __future__ import annotations

import sys


def remark(*lines: str) -> None:
    """Print each remark on a line of its own."""
    for line in lines:
        print(f"note: {line}", file=sys.stderr)
