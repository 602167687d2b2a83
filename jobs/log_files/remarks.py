"""Remarks for a person beside the answer. They go to standard error, so that answers can be piped."""

from __future__ import annotations

import sys


def remark(*lines: str) -> None:
    """A line each."""
    for line in lines:
        print(f"note: {line}", file=sys.stderr)
