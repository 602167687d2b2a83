"""One day of a policy: how many violations it has, of whom, when, and the first of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

import pyarrow as pa

from jobs.reports.answers.answer import Answer
from jobs.reports.answers.listing import FILED, SHOWN, Heading, Listing
from jobs.reports.answers.tallies import Totals, period_of
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import Magnitude, counted
from jobs.reports.words.values import shown

UNIT = "violations"
POINT = ("ts", "offset")
"""The columns of a violation's time-point; the others are the values that violate."""


def valued(results: pa.Table) -> list[str]:
    """The columns of a violation that are no part of its time-point."""
    return [name for name in results.column_names if name not in (*POINT, "day", "run_id")]


def answer(results: pa.Table, totals: Totals, day: date, episodes: int | None = None) -> Answer:
    """The number of violations, and whose they are: the column with the fewest values that still has several.

    `episodes`: how many runs of time-points they are, if that is known.
    """
    total = Magnitude.of(totals.at_least)
    if totals.at_least == 0:
        return Answer(f"There was no violation on {spoken(day)}.", total, UNIT)
    be = "was" if totals.at_least == 1 else "were"
    counts = {name: Counter(results[name].to_pylist()) for name in valued(results)}
    leading = min((name for name in counts if len(counts[name]) > 1), key=lambda name: len(counts[name]), default=None)
    whose = ""
    if leading is not None:
        value, most = min(counts[leading].items(), key=lambda item: (-item[1], shown(item[0])))
        of_listed = f" of the {results.num_rows:,} listed" if totals.truncated else ""
        whose = f"; {leading} {shown(value)} had the most, {most:,}{of_listed}"
    caveat = ""
    if totals.truncated:
        caveat = f"Only the first {results.num_rows:,} of {counted(total, 'violation')} are listed."
    runs = f" in {counted(episodes, 'episode')}" if episodes is not None and episodes < totals.at_least else ""
    return Answer(f"There {be} {counted(total, 'violation')}{runs} on {spoken(day)}{whose}.", total, UNIT, caveat)


def listing(results: pa.Table, clock: Clock) -> Listing:
    """The first violations, by time-point, then values."""
    names = valued(results)
    ordered = results.sort_by([(name, "ascending") for name in (*POINT, *names)]).slice(0, FILED)
    rows = ordered.to_pylist()
    several = any(row["offset"] for row in rows)
    headings = [Heading("time", whole=True), *([Heading("point", number=True)] if several else [])]
    headings += [Heading(name, number=_is_number(ordered.schema.field(name).type)) for name in names]
    cells = [
        [clock.time(row["ts"]), *([str(row["offset"])] if several else []), *(shown(row[name]) for name in names)]
        for row in rows[:SHOWN]
    ]
    header = [*POINT, *names]
    filed = [[row[name] for name in header] for row in rows]
    return Listing(headings, cells, header, filed, results.num_rows, "first ones first")


def by_period(results: pa.Table, interval: tuple[int, int]) -> dict[int, Magnitude]:
    """How many listed violations each 24th part of the day has, by the moment of the violation."""
    periods = Counter(period_of(ts, interval) for ts in results["ts"].to_pylist())
    return {period: Magnitude.of(number) for period, number in sorted(_inside(periods))}


def _inside(periods: Counter[int | None]) -> Sequence[tuple[int, int]]:
    return [(period, number) for period, number in periods.items() if period is not None]


def _is_number(stored: pa.DataType) -> bool:
    return bool(pa.types.is_integer(stored) or pa.types.is_floating(stored))
