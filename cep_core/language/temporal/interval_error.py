"""Intervals that no time difference lies in: the fault that comes after those of syntax."""

from __future__ import annotations

from cep_core.language.errors import QueryError
from cep_core.language.temporal.interval import Interval


class IntervalError(QueryError):
    """An interval of a temporal operator is empty or begins before 0."""


def interval_fault(interval: Interval) -> str:
    """What is wrong with an interval, as far as that can be seen without the log's unit; nothing if nothing is.

    Whole numbers count: `(3,4)` has no member.

    >>> interval_fault(Interval(3, 3, high_open=True))
    'an empty interval: no time difference lies in it'
    >>> interval_fault(Interval(1, 30, high_unit="m"))
    ''
    """
    if interval.low < 0 or (interval.high is not None and interval.high < 0):
        return "an interval begins at 0 or later: time differences are not negative"
    same_unit = bool(interval.low_unit) == bool(interval.high_unit) or interval.low == 0 or interval.high == 0
    if same_unit and interval.resolved("s").is_empty:
        return "an empty interval: no time difference lies in it"
    return ""
