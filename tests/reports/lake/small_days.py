"""The days of the small lake, one for each thing that may happen to a day, and values that mean no good."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

DAY = date(2013, 3, 8)
"""The day with everything on it."""
EMPTY = date(2013, 3, 4)
"""A loaded day without a single event."""
INCOMPLETE = date(2013, 3, 10)
"""A day whose results lack the day before."""
HOLE = date(2013, 3, 9)
"""A day that failed its gate and never had events."""
REFUSED = date(2013, 3, 7)
"""A day whose last load failed its gate: events and results are those of the load before."""
DAYS = (date(2013, 3, 3), EMPTY, *(date(2013, 3, day) for day in (5, 6, 7)), DAY, INCOMPLETE)
REPORTED = (EMPTY, DAY, INCOMPLETE)

SCRIPT = "<script>alert('x')</script>"
QUOTES = "\"'><img src=x onerror=alert(1)>"
RIGHT_TO_LEFT = "\u202eevil \u05d0\u05d1\u05d2"
HOSTILE = (SCRIPT, QUOTES, RIGHT_TO_LEFT)


def start_of(day: date) -> int:
    """The first moment of an operating day: 08:00 UTC."""
    return int(datetime(day.year, day.month, day.day, 8, tzinfo=UTC).timestamp())


def of_day(day: date) -> dict[str, Any]:
    """What every row says of its day."""
    return {"day": day, "run_id": "run-2" if day == EMPTY else "run-1"}
