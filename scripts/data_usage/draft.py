"""The draft of a log: what is asked for, and the events that are collected by columns. About 70 bytes an event."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np
import numpy.typing as npt

FIRST_DAY = date(2010, 8, 23)
DAY, HOUR = 86_400, 3_600
LIMIT = 30 * HOUR
"""What is due within it is due less than 30 hours later."""
SELECT, INSERT, DELETE, START, END = range(5)
DB1, DB2, NO_DB = 1, 2, 0
UNKNOWN = -1
"""The number of data whose name is not known."""
WIDTHS = (np.int64, np.int8, np.int32, np.int8, np.int32, np.int32)
"""Of the columns `ts`, kind, user, database, participant and data."""
CLOCK = np.array([1, 1, 1, 1, 1, 1, 2, 4, 6, 8, 8, 7, 6, 7, 8, 8, 7, 5, 4, 3, 2, 2, 1, 1], float)
"""How busy the hours of a day are, relative to each other."""

Numbers = npt.NDArray[np.signedinteger]


@dataclass(frozen=True)
class Usage:
    """What to generate: `rate` events a day. Everything else follows from it."""

    seed: int = 1
    rate: int = 20_000
    days: int = 7

    @property
    def begin(self) -> int:
        return int(datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=UTC).timestamp())

    @property
    def end(self) -> int:
        return self.begin + self.days * DAY

    @property
    def users(self) -> int:
        return max(20, self.rate // 100)

    @property
    def participants(self) -> int:
        return max(10, self.rate // 400)

    @property
    def stock(self) -> int:
        """Data that are older than the log, are read, and are never deleted."""
        return max(100, self.rate // 4)

    def share(self, part: float) -> int:
        """A share of the whole log's events."""
        return round(part * self.rate * self.days)


class Draft:
    """Collects events by columns. Numbers new data, and draws what does not matter for the rules."""

    def __init__(self, usage: Usage) -> None:
        self.usage, self.random = usage, np.random.default_rng(usage.seed)
        self.columns: list[list[Numbers]] = [[] for _ in range(6)]
        self._named = usage.stock

    def add(
        self, ts: Numbers, kind: int, db: int, participant: Numbers, data: Numbers, user: Numbers | None = None
    ) -> Numbers:
        """Add events; returns their users, drawn at random unless they are given."""
        who = self.random.integers(self.usage.users, size=len(ts)) if user is None else user
        row = (ts, np.broadcast_to(kind, len(ts)), who, np.broadcast_to(db, len(ts)), participant, data)
        for column, values, width in zip(self.columns, row, WIDTHS, strict=True):
            column.append(values.astype(width))
        return who

    def new_data(self, count: int) -> Numbers:
        self._named += count
        return np.arange(self._named - count, self._named)

    def owners(self, count: int) -> Numbers:
        """Participants: a few have most of the data."""
        return (self.usage.participants * self.random.random(count) ** 2).astype(np.int64)

    def moments(self, count: int) -> Numbers:
        """Moments of the whole log, more of them in busy hours."""
        hour = self.random.choice(24, count, p=CLOCK / CLOCK.sum())
        day = self.random.integers(self.usage.days, size=count)
        return self.usage.begin + day * DAY + hour * HOUR + self.random.integers(HOUR, size=count)

    def soon(self, count: int, mean: int) -> Numbers:
        """Delays of less than 30 hours. One in a hundred is the longest that is allowed."""
        delay = np.minimum(1 + self.random.exponential(mean, count).astype(np.int64), LIMIT - 1)
        return np.where(self.random.random(count) < 0.01, LIMIT - 1, delay)

    def late(self, count: int) -> Numbers:
        """Delays of 30 hours or little more. One in ten is the shortest that is too long."""
        delay = LIMIT + self.random.integers(6 * HOUR, size=count)
        return np.where(self.random.random(count) < 0.1, LIMIT, delay)
