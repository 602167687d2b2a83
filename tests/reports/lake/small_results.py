"""Events and results of the small lake's days: counts of every size, matches, what was evaluated from what."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tests.reports.lake.small_days import DAY, EMPTY, INCOMPLETE, QUOTES, RIGHT_TO_LEFT, SCRIPT, of_day, start_of


def events_of(day: date) -> list[dict[str, Any]]:
    """Forty events: each line departs ever later and arrives late; one line has a hostile name."""
    first = start_of(day)
    lines = ["Red", "Blue", SCRIPT, QUOTES, RIGHT_TO_LEFT]
    return [
        {
            "event_type": "Arrive" if n % 4 == 3 else "Depart",
            "ts": first + 3600 * n // 2 + number,
            "seq": day.toordinal() * 2**20 + number * 100 + n,
            "line": line,
            "station": QUOTES,
            "delay_min": 5 + 3 * n + number,
            **of_day(day),
        }
        for number, line in enumerate(lines)
        for n in range(8)
    ]


def chains(day: date) -> list[dict[str, Any]]:
    """Counts of all three sizes: machine integers, DECIMAL(38,0), beyond it."""
    last = start_of(day) + 86_400
    rows = []
    for number, line in enumerate(["Red", "Blue", SCRIPT, QUOTES, RIGHT_TO_LEFT]):
        for window in range(3):
            size = (day.day if line == "Red" else 12) * (1 + window) + 4 * number
            huge = line == "Red" and day == DAY
            rows.append(
                {
                    "line": line,
                    "window_start": last - 3600 * (12 + window),
                    "window_end": last - 3600 * window,
                    "count": None if huge or size > 37 else Decimal(10**size),
                    "count_log10": 46.9 + window / 10 if huge else float(size),
                    "count_D": Decimal(10 + window),
                    "count_D_log10": 1.04,
                    "max_D_delay_min": 29 + number,
                    "sum_D_delay_min": Decimal(-120),
                    "sum_D_delay_min_log10": 2.08,
                    "sum_D_delay_min_sign": -1,
                    "avg_D_delay_min": 17.25,
                    **of_day(day),
                }
            )
    return rows


def departures(day: date) -> list[dict[str, Any]]:
    """One ungrouped window a day."""
    last = start_of(day) + 86_400 - 8 * 3600
    count = {"count": Decimal(day.day * 10), "count_log10": 1.9}
    return [{"window_start": last - 86_400, "window_end": last, **count, **of_day(day)}]


def matches(day: date) -> list[dict[str, Any]]:
    """A match for each line, a second one for Red."""
    events = events_of(day)
    rows = []
    for number in (0, 0, 1, 2, 3, 4):
        own = events[8 * number : 8 * number + 8]
        inner = [event["seq"] for event in own[1:3]] if len(rows) != 1 else [own[2]["seq"]]
        first, last = own[0], own[3]
        rows.append(
            {
                "match_id": f"{day}-{len(rows)}",
                "first_ts": first["ts"],
                "last_ts": last["ts"],
                "a": first["seq"],
                "b": inner,
                "c": last["seq"],
                **of_day(day),
            }
        )
    return rows


def records(day: date) -> list[dict[str, Any]]:
    """What was evaluated, from what."""
    before = day - timedelta(days=1)
    inputs = json.dumps({before.isoformat(): "absent, refused" if day == INCOMPLETE else "d0", day.isoformat(): "d1"})
    empty = day == EMPTY
    rows = {"late_chains": 15, "all_departures": 1, "snowball": 6}
    return [
        {
            "query": query,
            "definition": "d" * 16,
            "inputs": inputs,
            "rows": 0 if empty else count,
            "matches_total": None if query != "snowball" else "0" if empty else "75000" if day == DAY else "6",
            "matches_at_least": None,
            "truncated": query == "snowball" and day == DAY,
            "complete": not (day == INCOMPLETE and query != "all_departures"),
            "exhausted": None,
            **of_day(day),
        }
        for query, count in rows.items()
    ]
