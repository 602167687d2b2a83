"""How many live expressions a monitor may need, and the error when it needs more."""

from __future__ import annotations

LIVE_LIMIT = 100_000
"""Live diagrams that a monitor may need at once."""


class TooManyExpressions(Exception):
    """The open points depend on the future in too many ways."""

    def __init__(self, limit: int, ts: int, offset: int, open_points: int) -> None:
        super().__init__(
            f"at {ts}:{offset} more than {limit:,} live expressions are needed for {open_points:,} open points;"
            " shorter intervals of nested operators need fewer, and the whole-log engine (end='closed',"
            " resolved=True) needs none"
        )
        self.limit = limit
