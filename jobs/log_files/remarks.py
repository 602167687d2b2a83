"""What a person should know beside the answer, on standard error: answers can be piped, remarks cannot."""

from __future__ import annotations

import sys


def remark(*lines: str) -> None:
    """A line each."""
    for line in lines:
        print(f"note: {line}", file=sys.stderr)
