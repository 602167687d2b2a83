"""The episodes of a policy's day: how many there are, and the longest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from jobs.reports.answers.concentration import Concentration, length
from jobs.reports.answers.listing import FILED, SHOWN, Heading, Listing, numbers
from jobs.reports.answers.variety.valued_rows import choose
from jobs.reports.answers.violations import heading
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import quantity, share
from jobs.reports.words.values import shown

RUN = ("first_ts", "first_offset", "last_ts", "last_offset", "points", "touches_begin", "touches_end")
"""The columns of an episode beside the values that violate."""
SHARE = "share"
"""A column of propositional policies: the points of the episode among those of its sub-log on the day."""


def number_of(episodes: pa.Table, violations: int) -> int | None:
    """How many episodes a day has; None if not all are listed, since then they hold fewer points than violations."""
    return episodes.num_rows if sum(episodes["points"].to_pylist()) == violations else None


def longest(episodes: pa.Table, most: int) -> list[Mapping[str, Any]]:
    """The longest episodes by time, then by time-points; equally long ones in order of time, then values."""
    names = values_of(episodes)
    rows: list[Mapping[str, Any]] = episodes.to_pylist()
    return sorted(
        rows,
        key=lambda row: (
            row["first_ts"] - row["last_ts"],
            -row["points"],
            row["first_ts"],
            row["first_offset"],
            *(str(row[name]) for name in names),
        ),
    )[:most]


def values_of(episodes: pa.Table) -> Sequence[str]:
    """The columns that tell whose an episode is."""
    return [name for name in episodes.column_names if name not in (*RUN, SHARE, "day", "run_id")]


def listing(
    episodes: pa.Table,
    clock: Clock,
    named: Mapping[str, str],
    interval: tuple[int, int],
    whose: Concentration | None = None,
) -> Listing | None:
    """The longest episodes: on the page, of many, those that differ; None if none has several time-points."""
    if not episodes.num_rows or max(episodes["points"].to_pylist()) == 1:
        return None
    names = values_of(episodes)
    titles = {name: heading(name, named) for name in names}
    shares = [SHARE] if SHARE in episodes.column_names else []
    rows = longest(episodes, FILED)
    shown_rows, order = rows[:SHOWN], "longest first"
    if len(rows) > SHOWN:
        ordered = pa.Table.from_pylist(rows, episodes.schema)
        places, best = choose(
            ordered, ordered["first_ts"].to_numpy(), interval, titles, None if whose is None else whose.leaders
        )
        shown_rows, order = [rows[number] for number in places], f"the longest {best}"
    cells = [
        [
            *(shown(row[name]) for name in names),
            clock.time(row["first_ts"]),
            clock.time(row["last_ts"]),
            length(row["last_ts"] - row["first_ts"], clock),
            quantity(row["points"]),
            *(share(row[name]) for name in shares),
            _beyond(row["touches_begin"], row["touches_end"]),
        ]
        for row in shown_rows
    ]
    headings = [*(Heading(title) for title in titles.values())]
    headings += [Heading(title, whole=True) for title in ("from", "to", "lasted")]
    headings += [*numbers("violations", *(f"{name} of points" for name in shares)), Heading("may go on")]
    header = [*names, *RUN, *shares]
    filed = [[row[name] for name in header] for row in rows]
    return Listing(headings, cells, header, filed, episodes.num_rows, order)


def _beyond(begin: bool, end: bool) -> str:
    """Where an episode reaches the day's end, and so may be longer.

    >>> _beyond(True, False), _beyond(False, False)
    ('the day before', '')
    """
    return " and ".join([*(["the day before"] if begin else []), *(["the day after"] if end else [])])
