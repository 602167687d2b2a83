"""Whether most rows of a source miss every day of the log, because its time has another unit than is declared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from jobs.workload.operating_days import UNITS, OperatingDays, day_number

MOST = 0.5
"""From this share of a source's rows on it is said."""

_CENTURY = 36_525


def missed_rows(row: Mapping[str, Any], days: OperatingDays, start: date) -> str | None:
    """What to say of a source most of whose rows miss the log. `row`: of the equation, summed over files.

    >>> from datetime import timedelta
    >>> midnight = timedelta(0)
    >>> of_source = {"source": "trips", "read": 100, "missed": 97, "missed_ts": 1_357_120_800}
    >>> print(missed_rows(of_source, OperatingDays(midnight, "ms"), date(2013, 1, 1)))
    97 % of the rows of 'trips' lie in 1970 or before, the log begins on 2013-01-01: is its unit s, not ms?
    >>> of_source["missed_ts"] = 1_357_120_800_000
    >>> print(missed_rows(of_source, OperatingDays(midnight, "s"), date(2013, 1, 1)))
    97 % of the rows of 'trips' lie outside the calendar: is its unit ms, not s?
    >>> missed_rows(of_source | {"missed_ts": 1_262_304_000}, OperatingDays(midnight, "s"), date(2013, 1, 1))
    """
    if not row["read"] or row["missed"] <= MOST * row["read"]:
        return None
    ts, last = row["missed_ts"], days.day_number_of(row["missed_ts"])
    first = day_number(start)
    units = [unit for unit in UNITS if 0 <= OperatingDays(days.begin, unit).day_number_of(ts) - first <= _CENTURY]
    is_outside = not day_number(date.min) <= last <= day_number(date.max)
    if not units and not is_outside:
        return None
    where = "outside the calendar" if is_outside else f"in {days.day_of(ts).year} or before, the log begins on {start}"
    question = f": is its unit {units[0]}, not {days.unit}?" if units else ""
    share = f"{100 * row['missed'] / row['read']:.0f} %"
    return f"{share} of the rows of '{row['source']}' lie {where}{question}"
