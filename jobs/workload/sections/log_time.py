"""The time of a log: the section `time` of workload.yaml, with `schedule` and `start`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from zoneinfo import available_timezones

from cep_core.events.logs.time_points import BY_EVENT, BY_TIMESTAMP
from cep_core.events.schema import Attribute, Ties
from jobs.workload.files.problems import Problems, brief, nearest
from jobs.workload.operating_days import UNITS, begin_of

POINTS = (BY_TIMESTAMP, BY_EVENT)
"""What a time-point may be, if no attribute numbers them."""
STARTS = date(1700, 1, 1), date(2200, 12, 31)
"""The first and last day on which a log may begin. In nanoseconds, 64 bits hold the days from 1678 to 2261."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SPREAD = 10**15
"""The largest imprecision of a time, in the log's unit."""
MIDNIGHT = "0 0 * * *"


@dataclass(frozen=True)
class Time:
    """The time of a log: the unit of `ts`, the time zone of its readers, ties, and the meaning of a time-point."""

    unit: str = "s"
    zone: str = "UTC"
    ties: Ties = Ties.CONCURRENT
    points: str = BY_TIMESTAMP
    """`by_timestamp`, `by_event`, or the attribute that numbers them."""
    imprecise: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Event type -> how much earlier and later than `ts`, in the log's unit, its events may have happened."""

    @property
    def point_column(self) -> str:
        """The column whose values tell the time-points of equal `ts` apart.

        >>> Time().point_column, Time(points="by_event").point_column, Time(points="batch").point_column
        ('ts', 'seq', 'batch')
        """
        return {BY_TIMESTAMP: "ts", BY_EVENT: "seq"}.get(self.points, self.points)


def read_time(problems: Problems, value: object) -> Time:
    """The section `time`."""
    section = problems.section("workload.yaml: time", value, (), ("unit", "zone", "ties", "points", "imprecise"))
    zone = section.text("zone", "UTC")
    if zone not in _zones():
        problems.add(section.at("zone"), f"unknown time zone {brief(zone)}; {nearest(zone, _zones())}")
    ties = section.choice("ties", [tie.value for tie in Ties], Ties.CONCURRENT.value)
    imprecise = _imprecise(problems, section.at("imprecise"), section.items.get("imprecise"))
    return Time(section.choice("unit", UNITS, "s"), zone, Ties(ties), section.text("points", BY_TIMESTAMP), imprecise)


def check_points(problems: Problems, points: str, types: Mapping[str, Mapping[str, Attribute]]) -> None:
    """Refuses a column of time-points unless every event has a value there: without one, an event has no point."""
    where = "workload.yaml: time.points"
    if points in POINTS or not types:
        return
    known = list(dict.fromkeys(name for attributes in types.values() for name in attributes))
    if points not in known:
        hint = nearest(points, [*POINTS, *known])
        problems.add(where, f"expected {', '.join(POINTS)} or an attribute; {hint}")
        return
    lacking = [name for name, attributes in types.items() if points not in attributes or attributes[points].nullable]
    if lacking:
        problems.add(
            where,
            f"events of {', '.join(lacking)} may have no '{points}', so no time-point; "
            f"declare it for each event type, without '?', or take one of {', '.join(POINTS)}",
        )


@cache
def _zones() -> frozenset[str]:
    """Names of time zones, cached because finding them reads folders."""
    return frozenset(available_timezones())


def read_schedule(problems: Problems, value: str) -> str:
    """The start of an operating day, as a daily cron expression."""
    try:
        begin_of(value or MIDNIGHT)
    except ValueError as error:
        problems.add("workload.yaml: schedule", str(error))
        return MIDNIGHT
    return value or MIDNIGHT


def read_start(problems: Problems, value: object) -> date:
    """The first operating day."""
    day = _date(value)
    if value is not None and day is None:
        problems.add("workload.yaml: start", f"expected a date such as 2013-01-01, found {brief(_written(value))}")
    elif day is not None and not STARTS[0] <= day <= STARTS[1]:
        problems.add("workload.yaml: start", f"expected a date from {STARTS[0]} to {STARTS[1]}, found {day}")
        day = None
    return day or date(1970, 1, 1)


def _date(value: object) -> date | None:
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, date) and not isinstance(value, datetime) else None


def _written(value: object) -> object:
    return str(value) if isinstance(value, datetime) else value


def _imprecise(problems: Problems, where: str, value: object) -> dict[str, tuple[int, int]]:
    spans = {}
    for event_type, declared in problems.mapping(where, value).items():
        section = problems.section(f"{where}.{event_type}", declared, (), ("before", "after"))
        spans[event_type] = section.count("before", 0, most=_SPREAD), section.count("after", 0, most=_SPREAD)
    return spans
