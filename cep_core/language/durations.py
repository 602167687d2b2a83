"""Durations in a log's unit, written as a person would say them."""

from __future__ import annotations

from collections.abc import Sequence

NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
NANOSECONDS["d"] = 24 * NANOSECONDS["h"]


def spoken(size: int, unit: str) -> str:
    """A duration as a whole number of hours or minutes, else in its own unit. Days are not used: "24 hours" is clearer.

    >>> spoken(86400, "s"), spoken(3600, "s"), spoken(90, "s"), spoken(600_000, "ms"), spoken(7, "weeks")
    ('24 hours', '1 hour', '90 s', '10 minutes', '7 weeks')
    """
    for name, nanoseconds in (("hour", NANOSECONDS["h"]), ("minute", NANOSECONDS["m"])):
        number, rest = divmod(size * NANOSECONDS.get(unit, 0), nanoseconds)
        if number and not rest:
            return f"{number} {name}{'' if number == 1 else 's'}"
    return f"{size} {unit}"


def counted_in_own_unit(spans: Sequence[str], unit: str) -> str:
    """A note for whoever writes spans of time as bare numbers: they count the unit of the log's time-stamps.

    Empty if this unit is the second, as readers expect.

    >>> counted_in_own_unit(["WITHIN 60"], "us")
    "WITHIN 60: a number without a unit counts us, as the log's time-stamps do; '60 s' or '2 minutes' is clear"
    >>> counted_in_own_unit(["WITHIN 60"], "s"), counted_in_own_unit([], "ns")
    ('', '')
    """
    if unit == "s" or not spans:
        return ""
    meaning = f"a number without a unit counts {unit}, as the log's time-stamps do"
    return f"{', '.join(spans)}: {meaning}; '60 s' or '2 minutes' is clear"
