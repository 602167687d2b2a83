"""The episodes of a policy's day: how many there are, and the longest."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from jobs.reports.answers.listing import FILED, SHOWN, Heading, Listing, numbers
from jobs.reports.answers.violations import heading
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import quantity
from jobs.reports.words.values import shown

RUN = ("first_ts", "first_offset", "last_ts", "last_offset", "points", "touches_begin", "touches_end")
"""The columns of an episode beside the values that violate."""


def number_of(episodes: pa.Table, violations: int) -> int | None:
    """How many episodes a day has; None if not all are listed, since then they hold fewer points than violations."""
    return episodes.num_rows if sum(episodes["points"].to_pylist()) == violations else None


def listing(episodes: pa.Table, clock: Clock, named: Mapping[str, str]) -> Listing | None:
    """The longest episodes, those with most time-points first; None if none has several."""
    if not episodes.num_rows or max(episodes["points"].to_pylist()) == 1:
        return None
    names = [name for name in episodes.column_names if name not in (*RUN, "day", "run_id")]
    order = [("points", "descending"), *((name, "ascending") for name in ("first_ts", "first_offset", *names))]
    rows = episodes.sort_by(order).slice(0, FILED).to_pylist()
    cells = [
        [
            *(shown(row[name]) for name in names),
            clock.time(row["first_ts"]),
            clock.time(row["last_ts"]),
            quantity(row["points"]),
            _beyond(row["touches_begin"], row["touches_end"]),
        ]
        for row in rows[:SHOWN]
    ]
    headings = [
        *(Heading(heading(name, named)) for name in names),
        Heading("from", whole=True),
        Heading("to", whole=True),
    ]
    headings += [*numbers("time-points"), Heading("may go on")]
    header = [*names, *RUN]
    filed = [[row[name] for name in header] for row in rows]
    return Listing(headings, cells, header, filed, episodes.num_rows, "most time-points first")


def _beyond(begin: bool, end: bool) -> str:
    """Where an episode reaches the day's end, and so may be longer.

    >>> _beyond(True, False), _beyond(False, False)
    ('the day before', '')
    """
    return " and ".join([*(["the day before"] if begin else []), *(["the day after"] if end else [])])
